// Packages: services that are sold together.
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { count, money, percent } from '@/i18n/format';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { percentOf } from '@/ui/fraction';
import { StatusTag } from '@/ui/StatusTag';
import { PACKAGE_ACTIONS } from './actions';
import type { Row } from './calls';
import { PackageTabs } from './Tabs';

const c = columnsOf<Row>('packages');

const sum = (name: 'default_cost' | 'total_cost' | 'difference', label: string): Column<Row> => ({
  name,
  label: `packages.columns.${label}`,
  width: 110,
  align: 'end',
  filter: { kind: 'money' },
  cell: (row) => money(row[name]),
});

const COLUMNS: readonly Column<Row>[] = [
  c.id(80, (row) => `/packages/${row.id}`),
  c.text('name', 'name', 240),
  {
    name: 'type',
    label: 'packages.columns.type',
    width: 150,
    filter: { kind: 'words', words: ['auto', 'manual'], texts: 'packages.kinds' },
    cell: (row) => <KindText kind={row.type} />,
  },
  c.named('network', 'network', 130),
  c.named('service_type', 'serviceType', 150, { hidden: true }),
  {
    name: 'contents_count',
    label: 'packages.columns.services',
    width: 90,
    align: 'end',
    filter: { kind: 'number' },
    cell: (row) => count(row.contents_count),
  },
  sum('default_cost', 'defaultCost'),
  sum('total_cost', 'totalCost'),
  sum('difference', 'difference'),
  {
    name: 'discount_percent',
    label: 'packages.columns.discount',
    width: 100,
    align: 'end',
    filter: { kind: 'share' },
    cell: (row) => percent(percentOf(row.discount_percent)),
  },
  c.money('fixed_cost', 'fixedCost', 110, { hidden: true }),
  {
    name: 'is_enabled',
    label: 'packages.columns.status',
    width: 130,
    filter: { kind: 'flag' },
    cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
  },
  filterOnly('is_archived', 'services.columns.archived', { kind: 'flag' }),
  c.flag('sync', 'sync', 110, { hidden: true }),
  c.record('panel', 'provider', 'panel', 150, { hidden: true }),
  c.flag('restricted_access', 'restricted', 120, { hidden: true }),
  c.text('slug', 'slug', 140, { hidden: true }),
  c.time('created_at', 'createdAt', { hidden: true }),
];

const PACKAGES: List<Row> = {
  name: 'packages',
  title: 'packages.title',
  path: '/api/v1/admin/packages',
  columns: COLUMNS,
  plain: ['is_archived'],
  defaults: { is_archived: '0' },
  actions: PACKAGE_ACTIONS,
  open: (row) => `/packages/${row.id}`,
};

function KindText({ kind }: { kind: Row['type'] }) {
  const { t } = useTranslation();
  return <>{t(`packages.kinds.${kind}`)}</>;
}

export default function Packages() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <div className="with-tabs">
      <PackageTabs now="" />
      <ServerTable
        list={PACKAGES}
        tools={<Button icon="plus" label={t('packages.create')} onClick={() => navigate('/packages/create')} />}
      />
    </div>
  );
}
