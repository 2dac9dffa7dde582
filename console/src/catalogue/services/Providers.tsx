// Who delivers a service, in the order they are tried: looked up on the server, each with its panel, price and margin.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { page } from '@/api/table';
import { ids } from '@/form/codecs';
import { plain } from '@/form/decimal';
import { NewerMark } from '@/form/Newer';
import { errorsAt } from '@/form/problems';
import { percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { providerText } from '@/table/records';
import { Button } from '@/ui/Button';
import { moved } from '@/ui/order';
import { Picker } from '@/ui/Picker';
import { SortableList } from '@/ui/SortableList';
import type { Service } from './calls';
import { marginPercent } from './margin';
import type { PartProps } from './PartFields';

type Provider = Schemas['ProviderRow'];

const PATH = '/api/v1/admin/providers';
/** Hits of one lookup. */
const MOST = 20;

async function providers(part: { search?: string; ids?: string }, most: number): Promise<readonly Provider[]> {
  const filters: Record<string, string> = part.ids ? { id: part.ids } : {};
  const plain: Record<string, string> = part.ids ? {} : { is_archived: '0' };
  const asked = { search: part.search ?? '', filters, plain, sort: [] };
  return (await page<Provider>(PATH, asked, 0, most, new AbortController().signal)).data;
}

/** By a text, which also finds the id that the service has at its panel; a number is an id of ours, too, and that comes first. */
async function find(query: string): Promise<readonly Provider[]> {
  const text = query.trim();
  const [ours, others] = await Promise.all([
    /^\d{1,15}$/.test(text) ? providers({ ids: text }, 1) : [],
    providers({ search: text }, MOST),
  ]);
  return [...ours, ...others.filter(({ id }) => ours.every((one) => one.id !== id))];
}

export function Providers({ values, errors, conflicts, onChange, service }: PartProps & { service: Service | null }) {
  const { t } = useTranslation();
  const may = useMay()('manage services and providers');
  const chosen = ids.parse(values.providers ?? '');
  const { data: rows = [] } = useQuery({
    queryKey: ['providers', 'chosen', chosen.join(',')],
    enabled: may && chosen.length > 0,
    retry: false,
    placeholderData: (before) => before,
    queryFn: () => providers({ ids: chosen.join(',') }, chosen.length),
  });
  const shown = useText(values, may);
  const known = new Map(rows.map((row) => [row.id, row]));
  const names = new Map([...(service?.providers ?? []), ...rows].map(({ id, name }) => [id, name]));
  const set = (chosen: readonly number[]) => onChange('providers', ids.format(chosen));
  const wrong = errorsAt(errors, 'providers') ?? [];
  return (
    <fieldset className="part">
      <legend>{t('services.fields.providers')}</legend>
      <p className="hint">{t(may ? 'services.hints.providers' : 'services.noLookup')}</p>
      <SortableList
        label={t('services.fields.providers')}
        items={chosen.map((id) => ({ id, name: names.get(id) ?? String(id) }))}
        onMove={(from, to) => set(moved(chosen, from, to))}
        more={({ id, name }) => (
          <>
            <ProviderTerms provider={known.get(id)} shown={shown} />
            <Button
              look="plain"
              iconOnly
              icon="times"
              label={t('services.removeProvider', { name })}
              onClick={() => set(chosen.filter((one) => one !== id))}
            />
          </>
        )}
      />
      {may && (
        <Picker<Provider>
          label={t('services.addProvider')}
          value={null}
          placeholder={t('services.addProvider')}
          empty={t('providers.noHit')}
          find={async (query) => (await find(query)).filter(({ id }) => !chosen.includes(id))}
          shown={shown}
          onChange={(provider) => provider && set([...chosen, provider.id])}
        />
      )}
      {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
      <NewerMark conflicts={conflicts} name="providers" />
    </fieldset>
  );
}

/** A provider's panel, price and margin, behind its name. */
function ProviderTerms({ provider, shown }: { provider: Provider | undefined; shown: (provider: Provider) => string }) {
  if (!provider) return null;
  return <small className="none provider-terms">{shown(provider).slice(provider.name.length + ' · '.length)}</small>;
}

/** How a candidate is shown: with what it would leave of the price that stands in the form. */
function useText(values: PartProps['values'], may: boolean) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['providers', 'collections'],
    enabled: may,
    queryFn: async () => (await unwrap(api.GET(`${PATH}/collections`))).data,
  });
  const price = { amount: plain(values.default_price ?? ''), per: Number(values.pricing_per) };
  const ratio = Number(plain(values.order_quantity_ratio || '1'));
  return (provider: Provider) => {
    const { amount, currency } = provider.source_price;
    const rate = currency === data?.currency ? 1 : Number(data?.exchangeRates[currency] ?? Number.NaN);
    const share = marginPercent(price, { amount, per: provider.source_pricing_per }, rate, ratio);
    const margin = share === null ? t('services.noMargin') : t('services.margin', { shown: percent(String(share)) });
    return `${providerText(provider, t)} · ${margin}`;
  };
}
