// The service of an external panel that a provider is: picked from what the panel last said that it sells. Its id is
// typed only where that list is forbidden, or the panel was not asked yet.
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
  /** The panel's id; empty while none is chosen. */
  panel: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
}

/** Hits of one lookup. */
const MOST = 20;

function services(panel: string, part: { search?: string; there?: string }, most: number) {
  const filters: Record<string, string> = part.there ? { external_panel_service_id: part.there } : {};
  const asked = { search: part.search ?? '', filters, parameters: { external_panel_id: panel }, sort: [] };
  const path = `/api/v1/admin/external-panels/${panel}/services`;
  return fetchPage<PanelService>(path, asked, 0, most, new AbortController().signal);
}

/** What has a text in it; the service that has exactly this id there comes first, however many others have it in a text. */
async function find(panel: string, text: string): Promise<readonly PanelService[]> {
  const [exact, others] = await Promise.all([
    /^[\w-]{1,60}$/.test(text) ? services(panel, { there: text }, 1) : null,
    services(panel, { search: text }, MOST),
  ]);
  const first = exact?.data ?? [];
  return [...first, ...others.data.filter(({ id }) => first.every((one) => one.id !== id))];
}

export function PanelServiceField({ id, label, panel, value, onChange, invalid }: Props) {
  const { t } = useTranslation();
  const may = useHasPermission()('manage external panels');
  const { data } = useQuery({
    queryKey: ['panel-services', 'picked', panel, value],
    enabled: may && panel !== '',
    retry: false,
    queryFn: () => services(panel, value ? { there: value } : {}, 1),
  });
  if (panel === '') return <p className="hint">{t('providers.choosePanel')}</p>;
  if (!may || data?.recordsTotal === 0)
    return (
      <>
        <input
          id={id}
          className="input"
          maxLength={100}
          value={value}
          aria-invalid={invalid || undefined}
          aria-describedby={`${id}-why`}
          onChange={(event) => onChange(event.target.value)}
        />
        <small className="hint" id={`${id}-why`}>
          {t(may ? 'providers.notFetched' : 'providers.noPanelServices')}
        </small>
      </>
    );
  const found = value ? data?.data.find((row) => row.external_panel_service_id === value) : undefined;
  const shown = (row: PanelService | string) => (typeof row === 'string' ? row : lineOf(row));
  const lineOf = (row: PanelService) => {
    const price = t('providers.pricePer', {
      price: formatMoneyIn(row.external_panel_price, row.currency),
      per: formatNumber(row.pricing_per),
    });
    return `${row.name} · ${row.external_panel_service_id} · ${price} · ${formatNumber(row.min_quantity)}–${formatNumber(row.max_quantity)}`;
  };
  return (
    <Picker<PanelService | string>
      id={id}
      label={label}
      value={found ?? (value || null)}
      invalid={invalid}
      placeholder={t('providers.findThere')}
      empty={t('providers.noHitThere')}
      find={(query) => find(panel, query.trim())}
      labelOf={shown}
      onChange={(hit) => onChange(hit === null || typeof hit === 'string' ? '' : hit.external_panel_service_id)}
    />
  );
}
