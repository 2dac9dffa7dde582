// What providers did for an order on one day, booked by hand. The server names wrong fields by row; here they stand at
// their provider.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';

type Order = Schemas['Order'];
type Values = Record<string, string>;

export function BookForm({ order, onClose }: { order: Order; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const fields = order.providers.flatMap(({ id, name }) => [
    { name: `${id}.cost`, label: t('orders.did.cost', { name }), mode: 'decimal' as const },
    { name: `${id}.quantity`, label: t('orders.did.quantity', { name }), mode: 'numeric' as const },
  ]);
  const save = async (values: Values) => {
    const rows = filled(order.providers, values);
    if (rows.length === 0) throw new Problem({ status: 422, code: 'empty', message: t('orders.did.empty') });
    const body = { order_id: order.id, date: values.date ?? '', provider_statistics: rows };
    await told(api.POST('/api/v1/admin/provider-statistics', { body })).catch((error: unknown) => {
      throw atProviders(asProblem(error), rows);
    });
    toast({ tone: 'success', text: t('ui.saved') });
    await queries.invalidateQueries({ queryKey: ['orders'] });
  };
  return (
    <FormDialog
      title={t('orders.did.title')}
      confirm={t('ui.save')}
      fields={[{ name: 'date', label: t('orders.did.date'), mode: 'date', hint: t('orders.did.hint') }, ...fields]}
      initial={{ date: new Date().toISOString().slice(0, 10) }}
      onClose={onClose}
      onSave={save}
    />
  );
}

const plain = (text = '') => text.replace(/\s/g, '').replace(',', '.');

/** The rows of the providers that something was typed for. */
export function filled(providers: Order['providers'], values: Values): Schemas['ProviderStatistic'][] {
  return providers
    .map(({ id }) => ({ id, cost: plain(values[`${id}.cost`]), quantity: plain(values[`${id}.quantity`]) }))
    .filter((row) => row.cost || row.quantity)
    .map((row) => ({ provider_id: row.id, cost: row.cost || '0', quantity: Number(row.quantity || 0) }));
}

/** `provider_statistics.1.cost` → the field of the provider that was sent second. */
export function atProviders(problem: Problem, rows: readonly { provider_id: number }[]): Problem {
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(problem.fields)) {
    const [, at, field] = /^provider_statistics\.(\d+)\.(\w+)$/.exec(name) ?? [];
    const row = rows[Number(at)];
    const key = row ? `${row.provider_id}.${field === 'quantity' ? 'quantity' : 'cost'}` : name;
    fields[key] = [...(fields[key] ?? []), ...messages];
  }
  const { status, code, message, requestId } = problem;
  return new Problem({ status, code, message, fields, requestId });
}
