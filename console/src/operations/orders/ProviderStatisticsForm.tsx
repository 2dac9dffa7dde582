// The dialog that records by hand what providers delivered for an order on one day, and at which cost. The server names wrong
// fields by row number; the form shows them at the provider.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { day, money, quantity } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { renameRowErrors } from '@/form/problems';
import { defineForm, type FormValues, withoutPrefix, withPrefix } from '@/form/spec';

type Order = Schemas['Order'];

/** The fields of one provider. The form prefixes their names with the provider id. */
const ROW = defineForm<Schemas['ProviderStatistic']>()({
  cost: orDefault(money, '0'),
  quantity: orDefault(quantity, 0),
});

export function ProviderStatisticsForm({ order, onClose }: { order: Order; onClose: () => void }) {
  const { t } = useTranslation();
  const codecs = Object.assign({ date: day }, ...order.providers.map(({ id }) => withPrefix(String(id), ROW.codecs)));
  const fields = order.providers.flatMap(({ id, name }) => [
    { name: `${id}.cost`, label: t('orders.did.cost', { name }) },
    { name: `${id}.quantity`, label: t('orders.did.quantity', { name }) },
  ]);
  const send = async (values: FormValues, key: string) => {
    const rows = filledRows(order.providers, values);
    const missing = missingFields(order.providers, values).map((name): [string, string[]] => [
      name,
      [t('orders.did.missing')],
    ]);
    if (missing.length > 0) {
      const message = t('orders.did.missing');
      throw new Problem({ status: 422, code: 'empty', message, fields: Object.fromEntries(missing) });
    }
    if (rows.length === 0) throw new Problem({ status: 422, code: 'empty', message: t('orders.did.empty') });
    const body = { order_id: order.id, date: values.date ?? '', provider_statistics: rows };
    const request = api.POST('/api/v1/admin/provider-statistics', { body, ...withIdempotencyKey(key) });
    await unwrap(request).catch((error: unknown) => {
      throw withProviderErrors(asProblem(error), rows);
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

/** The rows of the providers that have a cost or a quantity in the form. */
export function filledRows(providers: Order['providers'], values: FormValues): Schemas['ProviderStatistic'][] {
  return providers.flatMap(({ id }) => {
    const row = withoutPrefix(String(id), values);
    return row.cost?.trim() || row.quantity?.trim() ? [{ provider_id: id, ...ROW.toBody(row) }] : [];
  });
}

/** The empty fields of providers whose other field is filled. The server replaces both values, and an empty field is not 0. */
export function missingFields(providers: Order['providers'], values: FormValues): readonly string[] {
  return providers.flatMap(({ id }) => {
    const empty = [`${id}.cost`, `${id}.quantity`].filter((name) => !values[name]?.trim());
    return empty.length === 1 ? empty : [];
  });
}

/** Renames an error such as `provider_statistics.1.cost` to the field of the provider in that row of the request. */
export function withProviderErrors(problem: Problem, rows: readonly { provider_id: number }[]): Problem {
  return renameRowErrors(problem, 'provider_statistics', (index, field) => {
    const row = rows[index];
    return row ? `${row.provider_id}.${field === 'quantity' ? 'quantity' : 'cost'}` : null;
  });
}
