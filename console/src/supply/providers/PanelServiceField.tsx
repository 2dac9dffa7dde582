// The form field for the external panel's service that a provider orders. The user selects it from the stored services of the
// panel. A user who may not view them types the id, and also if the server has not loaded them yet.
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
  /** Empty until the user selects a panel. */
  panelId: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
}

const MAX_MATCHES = 20;

/** `externalId` is the id of a service at the panel. */
function fetchServices(panelId: string, filter: { search?: string; externalId?: string }, limit: number) {
  const { search = '', externalId } = filter;
  const filters: Record<string, string> = externalId ? { external_panel_service_id: externalId } : {};
  const query = { search, filters, parameters: { external_panel_id: panelId }, sort: [] };
  const path = `/api/v1/admin/external-panels/${panelId}/services`;
  return fetchPage<PanelService>(path, query, 0, limit, new AbortController().signal);
}

/**
 * Searches the services of a panel. A service whose id is the search text comes first, even if it is not among the first matches.
 */
async function searchServices(panelId: string, text: string): Promise<readonly PanelService[]> {
  const [idMatches, searchMatches] = await Promise.all([
    /^[\w-]{1,60}$/.test(text) ? fetchServices(panelId, { externalId: text }, 1) : null,
    fetchServices(panelId, { search: text }, MAX_MATCHES),
  ]);
  const exactMatches = idMatches?.data ?? [];
  return [...exactMatches, ...searchMatches.data.filter(({ id }) => exactMatches.every((match) => match.id !== id))];
}

export function PanelServiceField({ id, label, panelId, value, onChange, invalid }: Props) {
  const { t } = useTranslation();
  const canListServices = useHasPermission()('manage external panels');
  const { data } = useQuery({
    queryKey: ['panel-services', 'selected', panelId, value],
    enabled: canListServices && panelId !== '',
    retry: false,
    // Without a value, the query loads one service, because `recordsTotal` of the response shows whether the panel has services.
    queryFn: () => fetchServices(panelId, value ? { externalId: value } : {}, 1),
  });
  if (panelId === '') return <p className="hint">{t('providers.choosePanel')}</p>;
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
      // If the panel no longer has the service, the stored id is shown as text.
      value={selectedService ?? (value || null)}
      invalid={invalid}
      placeholder={t('providers.searchAtPanel')}
      empty={t('providers.notInLatestList')}
      search={(query) => searchServices(panelId, query.trim())}
      labelOf={formatLabel}
      onChange={(service) =>
        onChange(service === null || typeof service === 'string' ? '' : service.external_panel_service_id)
      }
    />
  );
}
