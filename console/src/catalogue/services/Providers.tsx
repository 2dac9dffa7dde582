// The providers of a service, in the order in which the dispatcher tries them, with panel, price and margin. The picker
// searches providers on the server.
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
import { moveItem } from '@/ui/order';
import { Picker } from '@/ui/Picker';
import { SortableList } from '@/ui/SortableList';
import type { Service } from './calls';
import { marginPercent } from './margin';
import type { SectionProps } from './SectionFields';

type Provider = Schemas['ProviderRow'];

const PATH = '/api/v1/admin/providers';
/** Results of one search. */
const MAX_RESULTS = 20;

async function fetchProviders(by: { search?: string; ids?: string }, limit: number): Promise<readonly Provider[]> {
  const filters: Record<string, string> = by.ids ? { id: by.ids } : {};
  const parameters: Record<string, string> = by.ids ? {} : { is_archived: '0' };
  const query = { search: by.search ?? '', filters, parameters, sort: [] };
  return (await fetchPage<Provider>(PATH, query, 0, limit, new AbortController().signal)).data;
}

/**
 * Searches by text, which also matches the service id at the external panel. A number is also tried as our provider id, and
 * that match comes first.
 */
async function findProviders(query: string): Promise<readonly Provider[]> {
  const text = query.trim();
  const [byId, bySearch] = await Promise.all([
    /^\d{1,15}$/.test(text) ? fetchProviders({ ids: text }, 1) : [],
    fetchProviders({ search: text }, MAX_RESULTS),
  ]);
  return [...byId, ...bySearch.filter(({ id }) => byId.every((one) => one.id !== id))];
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
  const selected = ids.parse(values.providers ?? '');
  const { data: rows = [] } = useQuery({
    queryKey: ['providers', 'chosen', selected.join(',')],
    enabled: canLookUp && selected.length > 0,
    retry: false,
    placeholderData: (before) => before,
    queryFn: () => fetchProviders({ ids: selected.join(',') }, selected.length),
  });
  const textOf = useProviderText(values, canLookUp);
  const loaded = new Map(rows.map((row) => [row.id, row]));
  const names = new Map([...(service?.providers ?? []), ...rows].map(({ id, name }) => [id, name]));
  const set = (selected: readonly number[]) => onChange('providers', ids.format(selected));
  const messages = errorsAt(errors, 'providers') ?? [];
  return (
    <fieldset className="part">
      <legend>{t('services.fields.providers')}</legend>
      <p className="hint">{t(canLookUp ? 'services.hints.providers' : 'services.noLookup')}</p>
      <SortableList
        label={t('services.fields.providers')}
        items={selected.map((id) => ({ id, name: names.get(id) ?? String(id) }))}
        onMove={(from, to) => set(moveItem(selected, from, to))}
        renderExtra={({ id, name }) => (
          <>
            <ProviderDetails provider={loaded.get(id)} textOf={textOf} />
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('services.removeProvider', { name })}
              onClick={() => set(selected.filter((one) => one !== id))}
            />
          </>
        )}
      />
      {canLookUp && (
        <Picker<Provider>
          label={t('services.addProvider')}
          value={null}
          placeholder={t('services.addProvider')}
          empty={t('providers.noHit')}
          find={async (query) => (await findProviders(query)).filter(({ id }) => !selected.includes(id))}
          labelOf={textOf}
          onChange={(provider) => provider && set([...selected, provider.id])}
        />
      )}
      {messages.length > 0 && <small className="field-error">{messages.join(' ')}</small>}
      <ConflictMark conflicts={conflicts} name="providers" />
    </fieldset>
  );
}

/** Panel, price and margin of a provider: the text of the provider without its name, which the list shows already. */
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

/** Returns a function that describes a provider, with the margin that it leaves on the price in the form. */
function useProviderText(values: SectionProps['values'], canLookUp: boolean) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['providers', 'collections'],
    enabled: canLookUp,
    queryFn: async () => (await unwrap(api.GET(`${PATH}/collections`))).data,
  });
  const price = { amount: normalizeDecimal(values.default_price ?? ''), per: Number(values.pricing_per) };
  const ratio = Number(normalizeDecimal(values.order_quantity_ratio || '1'));
  return (provider: Provider) => {
    const { amount, currency } = provider.source_price;
    const rate = currency === data?.currency ? 1 : Number(data?.exchangeRates[currency] ?? Number.NaN);
    const percent = marginPercent(price, { amount, per: provider.source_pricing_per }, rate, ratio);
    const margin =
      percent === null ? t('services.noMargin') : t('services.margin', { shown: formatPercent(String(percent)) });
    return `${providerText(provider, t)} · ${margin}`;
  };
}
