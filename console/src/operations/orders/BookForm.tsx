// What providers did for an order on one day, booked by hand. The server names wrong fields by row; here they stand at
// their provider.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { asProblem, Problem } from '@/api/problem';
import { or } from '@/form/codec';
import { day, money, quantity } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { atRows } from '@/form/problems';
import { type FormValues, formOf, groupOf, prefixed } from '@/form/spec';

type Order = Schemas['Order'];

/** What is booked of a provider; the fields of each are named by its id. */
const ROW = formOf<Schemas['ProviderStatistic']>()({ cost: or(money, '0'), quantity: or(quantity, 0) });

export function BookForm({ order, onClose }: { order: Order; onClose: () => void }) {
  const { t } = useTranslation();
  const codecs = Object.assign({ date: day }, ...order.providers.map(({ id }) => prefixed(String(id), ROW.codecs)));
  const fields = order.providers.flatMap(({ id, name }) => [
    { name: `${id}.cost`, label: t('orders.did.cost', { name }) },
    { name: `${id}.quantity`, label: t('orders.did.quantity', { name }) },
  ]);
  const send = async (values: FormValues, key: string) => {
    const rows = filled(order.providers, values);
    const gaps = gapsOf(order.providers, values).map((name): [string, string[]] => [name, [t('orders.did.missing')]]);
    if (gaps.length > 0) {
      const message = t('orders.did.missing');
      throw new Problem({ status: 422, code: 'empty', message, fields: Object.fromEntries(gaps) });
    }
    if (rows.length === 0) throw new Problem({ status: 422, code: 'empty', message: t('orders.did.empty') });
    const body = { order_id: order.id, date: values.date ?? '', provider_statistics: rows };
    await unwrap(api.POST('/api/v1/admin/provider-statistics', { body, ...keyed(key) })).catch((error: unknown) => {
      throw atProviders(asProblem(error), rows);
    });
  };
  return (
    <FormDialog
      title={t('orders.did.title')}
      confirm={t('ui.save')}
      fields={[{ name: 'date', label: t('orders.did.date'), hint: t('orders.did.hint') }, ...fields]}
      spec={{ codecs }}
      initial={{ date: new Date().toISOString().slice(0, 10) }}
      send={({ values }, key) => send(values, key)}
      success={t('ui.saved')}
      invalidates={[['orders']]}
      onClose={onClose}
    />
  );
}

/** The rows of the providers that something was typed for. */
export function filled(providers: Order['providers'], values: FormValues): Schemas['ProviderStatistic'][] {
  return providers.flatMap(({ id }) => {
    const row = groupOf(String(id), values);
    return row.cost?.trim() || row.quantity?.trim() ? [{ provider_id: id, ...ROW.wholeOf(row) }] : [];
  });
}

/** The fields that are empty beside one that is filled: a booking replaces both, and an empty field is no 0. */
export function gapsOf(providers: Order['providers'], values: FormValues): readonly string[] {
  return providers.flatMap(({ id }) => {
    const empty = [`${id}.cost`, `${id}.quantity`].filter((name) => !values[name]?.trim());
    return empty.length === 1 ? empty : [];
  });
}

/** `provider_statistics.1.cost` → the field of the provider that was sent second. */
export function atProviders(problem: Problem, rows: readonly { provider_id: number }[]): Problem {
  return atRows(problem, 'provider_statistics', (at, field) => {
    const row = rows[at];
    return row ? `${row.provider_id}.${field === 'quantity' ? 'quantity' : 'cost'}` : null;
  });
}
