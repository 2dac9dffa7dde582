// What is sold, to read.
import type { Schemas } from '@/api/client';
import { count, money } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { StatusTag } from '@/ui/StatusTag';
import { CatalogueTabs } from './Tabs';

type Row = Schemas['ServiceRow'];

const c = columnsOf<Row>('services');
const COLUMNS: readonly Column<Row>[] = [
  c.id(80),
  c.text('name', 'name', 320),
  c.named('network', 'network', 140, { filterName: 'network.name' }),
  c.named('service_type', 'type', 150, { filterName: 'service_type.name' }),
  {
    name: 'default_price',
    label: 'services.columns.price',
    width: 150,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => `${money(row.default_price)} / ${count(row.pricing_per)}`,
  },
  {
    name: 'min_price',
    label: 'services.columns.minPrice',
    width: 110,
    align: 'end',
    hidden: true,
    cell: (row) => money(row.min_price),
  },
  c.number('min_quantity', 'min'),
  c.number('max_quantity', 'max', 110),
  {
    name: 'is_enabled',
    label: 'services.columns.status',
    width: 130,
    filter: { kind: 'flag' },
    cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
  },
  c.flag('has_refill', 'refill', 90),
  c.flag('has_no_active_providers', 'noProviders', 120, {}, true),
  c.time('created_at', 'createdAt', { hidden: true }),
];

const SERVICES: List<Row> = {
  name: 'services',
  title: 'services.title',
  path: '/api/v1/admin/services',
  columns: COLUMNS,
};

export default function Services() {
  return (
    <div className="with-tabs">
      <CatalogueTabs now="" />
      <ServerTable list={SERVICES} />
    </div>
  );
}
