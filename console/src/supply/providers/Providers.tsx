// Providers: who delivers what services sell, by name.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { providers } from '@/api/lists/providers';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { PROVIDER_ACTIONS } from './actions';
import type { Row } from './calls';
import { ProviderForm } from './ProviderForm';
import { ProviderTabs } from './Tabs';

const PROVIDERS: List<Row> = defineList(providers, {
  title: 'providers.title',
  columns: {
    id: { width: 76, to: (row) => `/providers/${row.id}` },
    name: 240,
    is_available: 110,
    external_panel_service_id: 130,
    'source_price.amount': { width: 130, cell: (row) => `${row.source_price.amount} ${row.source_price.currency}` },
    services_count: 100,
    type: 150,
  },
  defaults: { is_archived: '0' },
  actions: PROVIDER_ACTIONS,
  open: (row) => `/providers/${row.id}`,
});

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
        tools={<Button variant="filled" icon="plus" label={t('providers.create')} onClick={() => setMaking(true)} />}
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
