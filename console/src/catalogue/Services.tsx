// What is sold.
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Schemas } from '@/api/client';
import { count, money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { StatusTag } from '@/ui/StatusTag';
import { SERVICE_ACTIONS } from './services/actions';
import { PANEL_SERVICE_TYPES } from './services/fields';
import { CatalogueTabs } from './Tabs';

type Row = Schemas['ServiceRow'];

const c = columnsOf<Row>('services');

/** What the reseller API sells, and what subscriptions are sold as. */
const PANEL_TYPES = [...PANEL_SERVICE_TYPES, 'Subscriptions'] as const satisfies readonly Row['panel_service_type'][];

const COLUMNS: readonly Column<Row>[] = [
  c.id(80, (row) => `/services/${row.id}`),
  c.text('name', 'name', 320),
  c.named('network', 'network', 140, { filterName: 'network.name' }),
  c.named('service_type', 'type', 150, { filterName: 'service_type.name' }),
  {
    name: 'panel_service_type',
    label: 'services.columns.panelType',
    width: 150,
    filter: { kind: 'words', words: PANEL_TYPES },
    cell: (row) => row.panel_service_type,
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
    filter: { kind: 'money' },
    cell: (row) => money(row.min_price),
  },
  c.number('min_quantity', 'min'),
  c.number('max_quantity', 'max', 110),
  c.number('quantity_step', 'step', 90, { hidden: true, label: 'services.fields.quantity_step' }),
  c.flag('moderation_is_enabled', 'moderation', 130, { hidden: true, label: 'services.fields.moderation_is_enabled' }),
  c.flag('drip_feed_is_allowed', 'dripFeed', 110, { hidden: true, label: 'services.fields.drip_feed_is_allowed' }),
  filterOnly('pricing_per', 'services.fields.pricing_per', { kind: 'number' }),
  {
    name: 'is_enabled',
    label: 'services.columns.status',
    width: 130,
    filter: { kind: 'flag' },
    cell: (row) => <StatusTag status={row.is_archived ? 'archived' : row.is_enabled ? 'active' : 'disabled'} />,
  },
  c.flag('is_archived', 'archived', 110, { hidden: true }),
  c.flag('has_refill', 'refill', 90),
  c.flag('has_no_active_providers', 'noProviders', 120, {}, true),
  {
    name: 'external_panels',
    label: 'services.columns.panels',
    width: 180,
    hidden: true,
    filter: { kind: 'record', of: 'panel' },
    cell: (row) => row.external_panels || '–',
  },
  c.time('created_at', 'createdAt', { hidden: true }),
];

const SERVICES: List<Row> = {
  name: 'services',
  title: 'services.title',
  path: '/api/v1/admin/services',
  columns: COLUMNS,
  defaults: { is_archived: '0' },
  actions: SERVICE_ACTIONS,
  open: (row) => `/services/${row.id}`,
};

export default function Services() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const manages = useMay()('manage services and providers');
  const tools = manages && (
    <Button icon="plus" label={t('services.create')} onClick={() => navigate('/services/create')} />
  );
  return (
    <div className="with-tabs">
      <CatalogueTabs now="" />
      <ServerTable list={SERVICES} tools={tools} />
    </div>
  );
}
