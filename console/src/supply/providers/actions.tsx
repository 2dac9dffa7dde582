// The declaration of the actions on providers.
import { useTranslation } from 'react-i18next';
import type { Action } from '@/table/action';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { PROVIDERS_PATH, type Provider, type ProviderRow } from './requests';

/** Shows the services and open orders of the provider, and the services that have no provider left after the archiving. */
function ArchivePreview({ row }: { row: ProviderRow }) {
  const { t } = useTranslation();
  const { services = [], open_orders_count: openOrderCount = 0 } = row as Partial<Provider>;
  const unservedServices = services.filter((service) => service.has_no_active_providers);
  const unservedNames = unservedServices.map(({ id, name }) => `${name} (${id})`).join(', ');
  return (
    <>
      <p>{t('providers.usedByServices', { services: services.length, orders: openOrderCount })}</p>
      {unservedServices.length > 0 && (
        <p className="field-error">{t('providers.servicesWithoutProvider', { names: unservedNames })}</p>
      )}
    </>
  );
}

export const PROVIDER_ACTIONS: readonly Action<ProviderRow>[] = [
  {
    name: 'archiveProvider',
    icon: 'box',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.archivable,
    PreviewDetails: ArchivePreview,
    ...createPerRecordRequests('POST', `${PROVIDERS_PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveProvider',
    icon: 'undo',
    isAllowedFor: (row) => row.actions.restore,
    ...createPerRecordRequests('POST', `${PROVIDERS_PATH}/{id}/unarchive`),
  },
];
