// Packages that external panels sell.
import type { Schemas } from '@/api/client';
import { count, percent } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { percentOf } from '@/ui/fraction';
import { PackageTabs } from './Tabs';

type Row = Schemas['ProviderPackageRow'];

const c = columnsOf<Row>('packages');

const number = (name: 'contents_count' | 'packages_count', label: string): Column<Row> => ({
  name,
  label,
  width: 110,
  align: 'end',
  sortable: false,
  cell: (row) => count(row[name]),
});

const LIST: List<Row> = {
  name: 'providers-packages',
  title: 'packages.provided.title',
  path: '/api/v1/admin/providers-packages',
  columns: [
    c.id(80),
    c.text('name', 'name', 260),
    c.named('external_panel', 'panel', 180),
    { ...c.named('network', 'network', 140), filterName: 'network.name' },
    number('contents_count', 'packages.columns.services'),
    number('packages_count', 'packages.title'),
    c.money('fixed_cost', 'fixedCost', 120),
    {
      name: 'discount_percent',
      label: 'packages.columns.discount',
      width: 100,
      align: 'end',
      cell: (row) => percent(percentOf(row.discount_percent)),
    },
    c.flag('sync', 'sync', 110),
    c.time('created_at', 'createdAt'),
  ],
};

export default function Provided() {
  return (
    <div className="with-tabs">
      <PackageTabs now="providers" />
      <ServerTable list={LIST} />
    </div>
  );
}
