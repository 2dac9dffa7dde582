// Providers: who delivers what services sell, by name.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { PROVIDER_ACTIONS } from './actions';
import { PATH, type Row } from './calls';
import { ProviderForm } from './ProviderForm';
import { ProviderTabs } from './Tabs';

const STATUSES = ['active', 'disabled', 'error', 'archived'] as const;
const TYPES = ['external_panel', 'manual'] as const;

const c = columnsOf<Row>('providers');

const COLUMNS: readonly Column<Row>[] = [
  c.id(76, (row) => `/providers/${row.id}`),
  c.text('name', 'name', 240),
  c.status('status', 'status', STATUSES),
  c.flag('is_available', 'available', 110),
  c.record('panel', 'external_panel', 'panel', 160),
  c.text('external_panel_service_id', 'serviceThere', 130),
  {
    name: 'source_price.amount',
    label: 'providers.columns.price',
    width: 130,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => `${row.source_price.amount} ${row.source_price.currency}`,
  },
  filterOnly('source_price.currency', 'providers.fields.source_currency', { kind: 'text' }),
  c.number('source_pricing_per', 'per', 90),
  c.number('services_count', 'services', 100),
  {
    name: 'type',
    label: 'providers.columns.type',
    width: 150,
    hidden: true,
    filter: { kind: 'words', words: TYPES, texts: 'providerType' },
    cell: (row) => <TypeText type={row.type} />,
  },
  c.time('last_available_at', 'lastAvailable', { hidden: true }),
  c.time('created_at', 'createdAt', { hidden: true }),
  c.time('updated_at', 'updatedAt', { hidden: true }),
];

const PROVIDERS: List<Row> = {
  name: 'providers',
  title: 'providers.title',
  path: PATH,
  columns: COLUMNS,
  plain: ['is_archived'],
  defaults: { is_archived: '0' },
  sort: { column: 'name', descending: false },
  actions: PROVIDER_ACTIONS,
  open: (row) => `/providers/${row.id}`,
};

export function TypeText({ type }: { type: Row['type'] }) {
  const { t } = useTranslation();
  return <>{t(`providerType.${type}`)}</>;
}

export default function Providers() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [making, setMaking] = useState(false);
  return (
    <div className="with-tabs">
      <ProviderTabs now="" />
      <ServerTable
        list={PROVIDERS}
        tools={<Button look="filled" icon="plus" label={t('providers.create')} onClick={() => setMaking(true)} />}
      />
      {making && (
        <ProviderForm
          provider={null}
          onClose={() => setMaking(false)}
          onSaved={(provider) => {
            void queries.invalidateQueries({ queryKey: ['providers'] });
            setTimeout(() => navigate(`/providers/${provider.id}`));
          }}
        />
      )}
    </div>
  );
}
