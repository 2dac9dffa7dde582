// Declares the actions on providers.
import { useTranslation } from 'react-i18next';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';
import { PROVIDERS_PATH, type Provider, type ProviderRow } from './calls';

/** Services and open orders of the provider, and the services that no provider can deliver after it is archived. */
function ArchivePreview({ row }: { row: ProviderRow }) {
  const { t } = useTranslation();
  const { services = [], open_orders_count: openOrders = 0 } = row as Partial<Provider>;
  const unservedServices = services.filter((service) => service.has_no_active_providers);
  const names = unservedServices.map(({ id, name }) => `${name} (${id})`).join(', ');
  return (
    <>
      <p>{t('providers.usage', { services: services.length, orders: openOrders })}</p>
      {unservedServices.length > 0 && (
        <p className="field-error">{t('providers.servicesWithoutProvider', { names })}</p>
      )}
    </>
  );
}

export const PROVIDER_ACTIONS: readonly Action<ProviderRow>[] = [
  {
    name: 'archiveProvider',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    PreviewDetails: ArchivePreview,
    ...perRecordCalls('POST', `${PROVIDERS_PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveProvider',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', `${PROVIDERS_PATH}/{id}/unarchive`),
  },
];
