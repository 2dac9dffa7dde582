// The screen with the list of providers. A provider delivers the orders of services, through an external panel or in another way.
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
import { ProviderForm } from './ProviderForm';
import type { ProviderRow } from './requests';
import { ProviderTabs } from './Tabs';

const PROVIDERS: List<ProviderRow> = defineList(providers, {
  title: 'providers.title',
  columns: {
    id: { width: 76, linkTo: (row) => `/providers/${row.id}` },
    name: 240,
    is_available: 110,
    external_panel_service_id: 130,
    'source_price.amount': { width: 130, cell: (row) => `${row.source_price.amount} ${row.source_price.currency}` },
    services_count: 100,
    type: 150,
  },
  defaultFilters: { is_archived: '0' },
  actions: PROVIDER_ACTIONS,
  getRecordUrl: (row) => `/providers/${row.id}`,
});

export function ProviderTypeText({ type }: { type: ProviderRow['type'] }) {
  const { t } = useTranslation();
  return <>{t(`providerType.${type}`)}</>;
}

export default function Providers() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <div className="with-tabs">
      <ProviderTabs currentTab="" />
      <ServerTable
        list={PROVIDERS}
        tools={
          <Button variant="filled" icon="plus" label={t('providers.create')} onClick={() => setIsCreating(true)} />
        }
      />
      {isCreating && (
        <ProviderForm
          provider={null}
          onClose={() => setIsCreating(false)}
          onSaved={(provider) => {
            void queryClient.invalidateQueries({ queryKey: ['providers'] });
            setTimeout(() => navigate(`/providers/${provider.id}`));
          }}
        />
      )}
    </div>
  );
}
