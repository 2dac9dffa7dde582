// The form field for the service of an external panel that a provider orders. The user selects it from the services that the server has
// fetched from the external panel. If the server has not fetched them yet, or if the user may not view them, the user types the id.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoneyIn, formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Picker } from '@/ui/Picker';

type PanelService = Schemas['PanelService'];

interface Props {
  id: string;
  label: string;
  /** Empty until the user selects an external panel. */
  externalPanelId: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
}

const MAX_SEARCH_MATCHES = 20;

/** Fetches services of an external panel. `externalId` is the id that the external panel uses for a service. */
function fetchServices(externalPanelId: string, filter: { search?: string; externalId?: string }, limit: number) {
  const { search = '', externalId } = filter;
  const filters: Record<string, string> = externalId ? { external_panel_service_id: externalId } : {};
  const query = { search, filters, parameters: { external_panel_id: externalPanelId }, sort: [] };
  const path = `/api/v1/admin/external-panels/${externalPanelId}/services`;
  return fetchPage<PanelService>(path, query, 0, limit, new AbortController().signal);
}

/**
 * Searches the services of an external panel. If the search text is the id of a service, this service comes first, even if the search
 * does not return it among its first matches.
 */
async function searchServices(externalPanelId: string, searchText: string): Promise<readonly PanelService[]> {
  const [idMatches, searchMatches] = await Promise.all([
    /^[\w-]{1,60}$/.test(searchText) ? fetchServices(externalPanelId, { externalId: searchText }, 1) : null,
    fetchServices(externalPanelId, { search: searchText }, MAX_SEARCH_MATCHES),
  ]);
  const exactMatches = idMatches?.data ?? [];
  return [...exactMatches, ...searchMatches.data.filter(({ id }) => exactMatches.every((match) => match.id !== id))];
}

export function PanelServiceField({ id, label, externalPanelId, value, onChange, invalid }: Props) {
  const { t } = useTranslation();
  const canListServices = useHasPermission()('manage external panels');
  const { data } = useQuery({
    queryKey: ['panel-services', 'selected', externalPanelId, value],
    enabled: canListServices && externalPanelId !== '',
    retry: false,
    // Without a value, the query fetches one service, because `recordsTotal` of the response shows whether there are any services.
    queryFn: () => fetchServices(externalPanelId, value ? { externalId: value } : {}, 1),
  });
  if (externalPanelId === '') return <p className="hint">{t('providers.selectPanelFirst')}</p>;
  if (!canListServices || data?.recordsTotal === 0)
    return (
      <>
        <input
          id={id}
          className="input"
          maxLength={100}
          value={value}
          aria-invalid={invalid || undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.value)}
        />
        <small className="hint" id={`${id}-hint`}>
          {t(canListServices ? 'providers.servicesNotLoaded' : 'providers.cannotViewPanelServices')}
        </small>
      </>
    );
  const selectedService = value ? data?.data.find((row) => row.external_panel_service_id === value) : undefined;
  const formatLabel = (service: PanelService | string) => {
    if (typeof service === 'string') return service;
    const price = t('providers.priceForQuantity', {
      price: formatMoneyIn(service.external_panel_price, service.currency),
      quantity: formatNumber(service.pricing_per),
    });
    const quantities = `${formatNumber(service.min_quantity)}–${formatNumber(service.max_quantity)}`;
    return [service.name, service.external_panel_service_id, price, quantities].join(' · ');
  };
  return (
    <Picker<PanelService | string>
      id={id}
      label={label}
      // Shows the stored id as text, if the external panel no longer sells the service.
      value={selectedService ?? (value || null)}
      invalid={invalid}
      placeholder={t('providers.externalServicePlaceholder')}
      emptyText={t('providers.notInLatestList')}
      search={(query) => searchServices(externalPanelId, query.trim())}
      formatLabel={formatLabel}
      onChange={(service) =>
        onChange(service === null || typeof service === 'string' ? '' : service.external_panel_service_id)
      }
    />
  );
}
