// The dialog in which staff record how much each provider delivered for an order on one day, and at which cost. The server reports
// errors by the row number of the request; the form shows them next to the fields of the provider in that row.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { dateCodec, moneyCodec, quantityCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { renameRowErrors } from '@/form/problems';
import { addPrefix, defineForm, type FormValues, removePrefix } from '@/form/spec';

type Order = Schemas['Order'];

/** The fields of one provider. The form prefixes their names with the provider id. */
const PROVIDER_FORM = defineForm<Schemas['ProviderStatistic']>()({
  cost: orDefault(moneyCodec, '0'),
  quantity: orDefault(quantityCodec, 0),
});

export function DeliveryStatisticsForm({ order, onClose }: { order: Order; onClose: () => void }) {
  const { t } = useTranslation();
  const codecs = Object.assign(
    { date: dateCodec },
    ...order.providers.map(({ id }) => addPrefix(String(id), PROVIDER_FORM.codecs)),
  );
  const fields = order.providers.flatMap(({ id, name }) => [
    { name: `${id}.cost`, label: t('orders.deliveryStatistics.cost', { name }) },
    { name: `${id}.quantity`, label: t('orders.deliveryStatistics.quantity', { name }) },
  ]);
  const send = async (values: FormValues, key: string) => {
    const rows = collectFilledRows(order.providers, values);
    const missingErrors = findMissingFields(order.providers, values).map((name): [string, string[]] => [
      name,
      [t('orders.deliveryStatistics.valueMissing')],
    ]);
    if (missingErrors.length > 0) {
      const message = t('orders.deliveryStatistics.valueMissing');
      throw new Problem({ status: 422, code: 'empty', message, fields: Object.fromEntries(missingErrors) });
    }
    if (rows.length === 0)
      throw new Problem({ status: 422, code: 'empty', message: t('orders.deliveryStatistics.noValues') });
    const body = { order_id: order.id, date: values.date ?? '', provider_statistics: rows };
    const request = api.POST('/api/v1/admin/provider-statistics', { body, ...withIdempotencyKey(key) });
    await unwrap(request).catch((error: unknown) => {
      throw assignErrorsToProviders(asProblem(error), rows);
    });
  };
  return (
    <FormDialog
      title={t('orders.deliveryStatistics.title')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'date', label: t('orders.deliveryStatistics.date'), hint: t('orders.deliveryStatistics.hint') },
        ...fields,
      ]}
      spec={{ codecs }}
      initialValues={{ date: new Date().toISOString().slice(0, 10) }}
      send={({ values }, key) => send(values, key)}
      successMessage={t('ui.saved')}
      invalidatedQueries={[['orders']]}
      onClose={onClose}
    />
  );
}

/** Returns a row for each provider whose cost or quantity is filled in. */
export function collectFilledRows(providers: Order['providers'], values: FormValues): Schemas['ProviderStatistic'][] {
  return providers.flatMap(({ id }) => {
    const row = removePrefix(String(id), values);
    return row.cost?.trim() || row.quantity?.trim() ? [{ provider_id: id, ...PROVIDER_FORM.toBody(row) }] : [];
  });
}

/**
 * Returns the empty fields of providers that have only one of the two fields filled in. The server replaces both values, and the
 * form must not send 0 for an empty field.
 */
export function findMissingFields(providers: Order['providers'], values: FormValues): readonly string[] {
  return providers.flatMap(({ id }) => {
    const emptyFields = [`${id}.cost`, `${id}.quantity`].filter((name) => !values[name]?.trim());
    return emptyFields.length === 1 ? emptyFields : [];
  });
}

/** Renames an error key such as `provider_statistics.1.cost` to the form field of the provider in row 1, such as `7.cost`. */
export function assignErrorsToProviders(problem: Problem, rows: readonly { provider_id: number }[]): Problem {
  return renameRowErrors(problem, 'provider_statistics', (index, field) => {
    const row = rows[index];
    return row ? `${row.provider_id}.${field === 'quantity' ? 'quantity' : 'cost'}` : null;
  });
}
