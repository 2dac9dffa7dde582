// The page of a provider: its price, its external panel and the services that the provider delivers.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';
import { PROVIDER_ACTIONS } from './actions';
import { ProviderForm } from './ProviderForm';
import { ProviderTypeText } from './Providers';
import { type Provider, useProvider } from './requests';

export default function ProviderPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useProvider(Number(params.id));
  return (
    <RecordPage query={query} backLink={{ href: '/providers', text: t('providers.title') }}>
      {(provider) => (
        <>
          <div className="record-head">
            <h1 tabIndex={-1}>{provider.name}</h1>
            <CopyButton text={String(provider.id)} />
            <StatusTag status={provider.status} />
          </div>
          <ProviderActions provider={provider} />
          <div className="record-grid">
            <ProviderDetails provider={provider} />
            <ProviderServices provider={provider} />
          </div>
        </>
      )}
    </RecordPage>
  );
}

function ProviderActions({ provider }: { provider: Provider }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const refetch = () => void queryClient.invalidateQueries({ queryKey: ['providers'] });
  return (
    <div className="record-actions">
      {provider.actions.editable && (
        <Button icon="pencil" label={t('providers.edit')} onClick={() => setIsEditing(true)} />
      )}
      <RecordActions row={provider} actions={PROVIDER_ACTIONS} onDone={refetch} />
      {isEditing && <ProviderForm provider={provider} onClose={() => setIsEditing(false)} onSaved={refetch} />}
    </div>
  );
}

function ProviderDetails({ provider }: { provider: Provider }) {
  const { t } = useTranslation();
  const canSeeOrders = useHasPermission()('manage external panel orders');
  const openOrderCount = formatNumber(provider.open_orders_count);
  const price = `${provider.source_price.amount} ${provider.source_price.currency}`;
  return (
    <Card title={t('providers.detailsTitle')}>
      <DescriptionList
        rows={[
          [t('providers.columns.type'), <ProviderTypeText key="type" type={provider.type} />],
          [t('providers.columns.panel'), provider.external_panel?.name],
          [t('providers.columns.externalService'), provider.external_panel_service_id],
          [
            t('providers.columns.price'),
            t('providers.priceForQuantity', { price, quantity: formatNumber(provider.source_pricing_per) }),
          ],
          [t('providers.columns.available'), <BooleanText key="available" value={provider.is_available} />],
          [t('providers.columns.lastAvailable'), <DateTime key="lastAvailable" time={provider.last_available_at} />],
          [
            t('providers.openOrders'),
            canSeeOrders && provider.open_orders_count > 0 ? (
              <Link
                key="openOrders"
                href={`/external-panel-orders?provider=${provider.id}&status=Creating,Pending,In%20progress,Processing`}
              >
                {openOrderCount}
              </Link>
            ) : (
              openOrderCount
            ),
          ],
          [
            t('externalPanelOrders.title'),
            canSeeOrders && (
              <Link key="showOrders" href={`/external-panel-orders?provider=${provider.id}`}>
                {t('providers.showOrders')}
              </Link>
            ),
          ],
          [t('providers.fields.source_event'), provider.source_event],
          [t('providers.fields.target_event'), provider.target_event],
          [t('providers.columns.statisticsUntil'), provider.last_stats_gather_period],
          [t('providers.columns.createdAt'), <DateTime key="createdAt" time={provider.created_at} />],
          [t('providers.columns.updatedAt'), <DateTime key="updatedAt" time={provider.updated_at} />],
        ]}
      />
    </Card>
  );
}

function ProviderServices({ provider }: { provider: Provider }) {
  const { t } = useTranslation();
  return (
    <Card title={t('providers.columns.services')}>
      <SimpleTable
        label={t('providers.columns.services')}
        rows={provider.services}
        getRowKey={(service) => service.id}
        emptyText={t('providers.noServices')}
        columns={[
          { title: t('services.columns.id'), renderCell: (service) => service.id },
          {
            title: t('services.columns.name'),
            renderCell: (service) => <Link href={`/services/${service.id}`}>{service.name}</Link>,
          },
          {
            title: t('providers.hasProvider'),
            renderCell: (service) => (
              <StatusTag
                status={service.has_no_active_providers ? 'error' : 'active'}
                label={service.has_no_active_providers ? t('ui.no') : t('ui.yes')}
              />
            ),
          },
        ]}
      />
    </Card>
  );
}
