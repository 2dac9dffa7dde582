// The field for the providers of a service, in the order in which the dispatcher tries them, with their panels, prices and margins.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { ConflictMark } from '@/form/Conflict';
import { ids } from '@/form/codecs';
import { normalizeDecimal } from '@/form/decimal';
import { errorsAt } from '@/form/problems';
import { formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { providerText } from '@/table/records';
import { Button } from '@/ui/Button';
import { Picker } from '@/ui/Picker';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import type { Service } from './calls';
import { marginPercent } from './margin';
import type { SectionProps } from './SectionFields';

type Provider = Schemas['ProviderRow'];

const PROVIDERS_PATH = '/api/v1/admin/providers';
/** Most results of one search. */
const MAX_RESULTS = 20;

async function fetchProviders(
  condition: { search?: string; ids?: string },
  limit: number,
): Promise<readonly Provider[]> {
  const filters: Record<string, string> = condition.ids ? { id: condition.ids } : {};
  const parameters: Record<string, string> = condition.ids ? {} : { is_archived: '0' };
  const query = { search: condition.search ?? '', filters, parameters, sort: [] };
  return (await fetchPage<Provider>(PROVIDERS_PATH, query, 0, limit, new AbortController().signal)).data;
}

/**
 * Searches providers by text, which the server also compares with the service id of the external panel. If the text is a number,
 * the provider with this id is the first result.
 */
async function searchProviders(query: string): Promise<readonly Provider[]> {
  const text = query.trim();
  const [byId, bySearch] = await Promise.all([
    /^\d{1,15}$/.test(text) ? fetchProviders({ ids: text }, 1) : [],
    fetchProviders({ search: text }, MAX_RESULTS),
  ]);
  return [...byId, ...bySearch.filter(({ id }) => byId.every((provider) => provider.id !== id))];
}

export function Providers({
  values,
  errors,
  conflicts,
  onChange,
  service,
}: SectionProps & { service: Service | null }) {
  const { t } = useTranslation();
  const canLookUp = useHasPermission()('manage services and providers');
  const selectedIds = ids.parse(values.providers ?? '');
  const { data: rows = [] } = useQuery({
    queryKey: ['providers', 'selected', selectedIds.join(',')],
    enabled: canLookUp && selectedIds.length > 0,
    retry: false,
    placeholderData: (previous) => previous,
    queryFn: () => fetchProviders({ ids: selectedIds.join(',') }, selectedIds.length),
  });
  const textOf = useProviderText(values, canLookUp);
  const providersById = new Map(rows.map((row) => [row.id, row]));
  const names = new Map([...(service?.providers ?? []), ...rows].map(({ id, name }) => [id, name]));
  const setSelected = (newIds: readonly number[]) => onChange('providers', ids.format(newIds));
  const messages = errorsAt(errors, 'providers') ?? [];
  return (
    <fieldset className="part">
      <legend>{t('services.fields.providers')}</legend>
      <p className="hint">{t(canLookUp ? 'services.hints.providers' : 'services.noLookup')}</p>
      <SortableList
        label={t('services.fields.providers')}
        items={selectedIds.map((id) => ({ id, name: names.get(id) ?? String(id) }))}
        onMove={(fromIndex, toIndex) => setSelected(moveItem(selectedIds, fromIndex, toIndex))}
        renderExtra={({ id, name }) => (
          <>
            <ProviderDetails provider={providersById.get(id)} textOf={textOf} />
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('services.removeProvider', { name })}
              onClick={() => setSelected(selectedIds.filter((other) => other !== id))}
            />
          </>
        )}
      />
      {canLookUp && (
        <Picker<Provider>
          label={t('services.addProvider')}
          value={null}
          placeholder={t('services.addProvider')}
          empty={t('providers.noMatches')}
          search={async (query) => (await searchProviders(query)).filter(({ id }) => !selectedIds.includes(id))}
          labelOf={textOf}
          onChange={(provider) => provider && setSelected([...selectedIds, provider.id])}
        />
      )}
      {messages.length > 0 && <small className="field-error">{messages.join(' ')}</small>}
      <ConflictMark conflicts={conflicts} name="providers" />
    </fieldset>
  );
}

/** The panel, the price and the margin of a provider: its text without the name, which the list already shows. */
function ProviderDetails({
  provider,
  textOf,
}: {
  provider?: Provider | undefined;
  textOf: (provider: Provider) => string;
}) {
  if (!provider) return null;
  return <small className="none provider-terms">{textOf(provider).slice(provider.name.length + ' · '.length)}</small>;
}

/** Returns a function that describes a provider, including its margin with the price in the form. */
function useProviderText(values: SectionProps['values'], canLookUp: boolean) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['providers', 'collections'],
    enabled: canLookUp,
    queryFn: async () => (await unwrap(api.GET(`${PROVIDERS_PATH}/collections`))).data,
  });
  const price = { amount: normalizeDecimal(values.default_price ?? ''), quantity: Number(values.pricing_per) };
  const ratio = Number(normalizeDecimal(values.order_quantity_ratio || '1'));
  return (provider: Provider) => {
    const { amount, currency } = provider.source_price;
    const rate = currency === data?.currency ? 1 : Number(data?.exchangeRates[currency] ?? Number.NaN);
    const percent = marginPercent(price, { amount, quantity: provider.source_pricing_per }, rate, ratio);
    const margin =
      percent === null ? t('services.noMargin') : t('services.margin', { shown: formatPercent(String(percent)) });
    return `${providerText(provider, t)} · ${margin}`;
  };
}
