// The form field for the providers of a service, with their external panels, prices and margins. The dispatcher tries the providers in
// this sequence.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { ConflictNote } from '@/form/Conflict';
import { idListCodec } from '@/form/codecs';
import { normalizeDecimal } from '@/form/decimal';
import { collectFieldErrors } from '@/form/problems';
import { formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { formatProvider } from '@/table/recordLookups';
import { Button } from '@/ui/Button';
import { Picker } from '@/ui/Picker';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import { computeMarginPercent } from './margin';
import type { Service } from './requests';
import type { SectionProps } from './SectionFields';

type Provider = Schemas['ProviderRow'];

const PROVIDERS_PATH = '/api/v1/admin/providers';
/** Maximum number of results of one search. */
const MAX_SEARCH_RESULTS = 20;

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
 * Searches providers by text. The server also compares the text with the service id of the external panel. If the text is a number,
 * the provider with this id is the first result.
 */
async function searchProviders(query: string): Promise<readonly Provider[]> {
  const searchText = query.trim();
  const [idMatches, searchMatches] = await Promise.all([
    /^\d{1,15}$/.test(searchText) ? fetchProviders({ ids: searchText }, 1) : [],
    fetchProviders({ search: searchText }, MAX_SEARCH_RESULTS),
  ]);
  return [...idMatches, ...searchMatches.filter(({ id }) => idMatches.every((provider) => provider.id !== id))];
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
  const selectedIds = idListCodec.parse(values.providers ?? '');
  const { data: selectedProviders = [] } = useQuery({
    queryKey: ['providers', 'selected', selectedIds.join(',')],
    enabled: canLookUp && selectedIds.length > 0,
    retry: false,
    placeholderData: (previousProviders) => previousProviders,
    queryFn: () => fetchProviders({ ids: selectedIds.join(',') }, selectedIds.length),
  });
  const formatProviderWithMargin = useFormatProviderWithMargin(values, canLookUp);
  const providersById = new Map(selectedProviders.map((provider) => [provider.id, provider]));
  const names = new Map([...(service?.providers ?? []), ...selectedProviders].map(({ id, name }) => [id, name]));
  const setSelected = (newIds: readonly number[]) => onChange('providers', idListCodec.format(newIds));
  const errorMessages = collectFieldErrors(errors, 'providers') ?? [];
  return (
    <fieldset className="part">
      <legend>{t('services.fields.providers')}</legend>
      <p className="hint">{t(canLookUp ? 'services.hints.providers' : 'services.providerLookupForbidden')}</p>
      <SortableList
        label={t('services.fields.providers')}
        items={selectedIds.map((id) => ({ id, name: names.get(id) ?? String(id) }))}
        onMove={(fromIndex, toIndex) => setSelected(moveItem(selectedIds, fromIndex, toIndex))}
        renderAfterName={({ id, name }) => (
          <>
            <ProviderDetails provider={providersById.get(id)} formatProviderWithMargin={formatProviderWithMargin} />
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('ui.removeNamed', { name })}
              onClick={() => setSelected(selectedIds.filter((selectedId) => selectedId !== id))}
            />
          </>
        )}
      />
      {canLookUp && (
        <Picker<Provider>
          label={t('services.addProvider')}
          value={null}
          placeholder={t('services.addProvider')}
          emptyText={t('providers.noMatches')}
          search={async (query) => (await searchProviders(query)).filter(({ id }) => !selectedIds.includes(id))}
          formatLabel={formatProviderWithMargin}
          onChange={(provider) => provider && setSelected([...selectedIds, provider.id])}
        />
      )}
      {errorMessages.length > 0 && <small className="field-error">{errorMessages.join(' ')}</small>}
      <ConflictNote conflicts={conflicts} name="providers" />
    </fieldset>
  );
}

/** Shows the external panel, the price and the margin of a provider. Omits the name, because the list already shows it. */
function ProviderDetails({
  provider,
  formatProviderWithMargin,
}: {
  provider?: Provider | undefined;
  formatProviderWithMargin: (provider: Provider) => string;
}) {
  if (!provider) return null;
  return (
    <small className="none provider-terms">
      {formatProviderWithMargin(provider).slice(provider.name.length + ' · '.length)}
    </small>
  );
}

/** Returns a function that formats a provider with the margin that results from the price in the form. */
function useFormatProviderWithMargin(values: SectionProps['values'], canLookUp: boolean) {
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
    const marginPercent = computeMarginPercent(price, { amount, quantity: provider.source_pricing_per }, rate, ratio);
    const margin =
      marginPercent === null
        ? t('services.marginUnknown')
        : t('services.marginPercent', { percent: formatPercent(String(marginPercent)) });
    return `${formatProvider(provider, t)} · ${margin}`;
  };
}
