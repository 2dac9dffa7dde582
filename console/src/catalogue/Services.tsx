// What is sold, to read.
import type { Schemas } from '@/api/client';
import { count, money } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { ServerTable } from '@/table/ServerTable';
import { Flag } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { CatalogueTabs } from './Tabs';

type Row = Schemas['ServiceRow'];

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', label: 'services.columns.id', width: 80, filter: { kind: 'ids' }, cell: (row) => row.id },
  { name: 'name', label: 'services.columns.name', width: 320, filter: { kind: 'text' }, cell: (row) => row.name },
  {
    name: 'network.name',
    label: 'services.columns.network',
    width: 140,
    filter: { kind: 'text' },
    cell: (row) => row.network.name,
  },
  {
    name: 'service_type.name',
    label: 'services.columns.type',
    width: 150,
    filter: { kind: 'text' },
    cell: (row) => row.service_type.name,
  },
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
  {
    name: 'min_quantity',
    label: 'services.columns.min',
    width: 90,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.min_quantity),
  },
  {
    name: 'max_quantity',
    label: 'services.columns.max',
    width: 110,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.max_quantity),
  },
  {
    name: 'is_enabled',
    label: 'services.columns.status',
    width: 130,
    filter: { kind: 'flag' },
    cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
  },
  {
    name: 'has_refill',
    label: 'services.columns.refill',
    width: 90,
    filter: { kind: 'flag' },
    cell: (row) => <Flag on={row.has_refill} />,
  },
  {
    name: 'has_no_active_providers',
    label: 'services.columns.noProviders',
    width: 120,
    filter: { kind: 'flag' },
    cell: (row) => <Flag on={row.has_no_active_providers} bad />,
  },
  {
    name: 'created_at',
    label: 'services.columns.createdAt',
    width: 168,
    filter: { kind: 'time' },
    hidden: true,
    cell: (row) => <When at={row.created_at} />,
  },
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
