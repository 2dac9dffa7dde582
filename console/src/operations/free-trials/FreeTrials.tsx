// Requests for free trials: what customers ask for, and the decision.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { useAsks } from '@/operations/orders/PlaceForm';
import { useMay } from '@/session/hooks';
import type { Action, FormProps } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';
import { Field } from '@/ui/Field';

type Row = Schemas['FreeTrial'];

const STATUSES = ['pending', 'approved', 'rejected'] as const;
const HIDDEN = { hidden: true } as const;

const c = columnsOf<Row>('freeTrials');
const COLUMNS: readonly Column<Row>[] = [
  c.id(76),
  c.time('created_at', 'createdAt'),
  c.status('status', 'status', STATUSES),
  c.text('name', 'name', 200),
  c.person('user', 'user', 140),
  c.number('quantity', 'quantity', 92, { cell: (row) => row.quantity }),
  c.text('url', 'url', 190, { cell: (row) => <UrlCell url={row.url} /> }),
  c.text('proof_url', 'proof', 190, { cell: (row) => (row.proof_url ? <UrlCell url={row.proof_url} opens /> : '–') }),
  c.number('order_id', 'order', 92, {
    filter: { kind: 'ids' },
    cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
  }),
  c.time('valid_from', 'validFrom', HIDDEN),
  c.time('valid_to', 'validTo'),
  c.record('user', 'approved_by', 'decidedBy', 130),
  c.time('approved_at', 'decidedAt', HIDDEN),
  c.number('free_trial_quest_id', 'quest', 92, { ...HIDDEN, filter: { kind: 'ids' } }),
];

const approve: Action<Row> = {
  name: 'approveTrial',
  icon: 'thumbs-up',
  allows: (row) => row.actions.approvable,
  Form: ApproveForm,
  ...eachOf('POST', '/api/v1/admin/free-trials/{id}/approve', {
    body: (input) => ({
      ...(input.quantity ? { quantity: Number(input.quantity) } : {}),
      ...(input.targets ? { targets: input.targets as Record<string, string> } : {}),
    }),
  }),
};

/** The quantity, and what the service of a single request asks; several requests may give different services. */
function ApproveForm({ value, onChange, errors, row }: FormProps<Row>) {
  const { t } = useTranslation();
  const asks = useAsks(row ? String(row.service_id) : '', useMay()('view services'));
  const targets = (value.targets ?? {}) as Record<string, string>;
  const answer = (name: string, text: string) => {
    const { [name]: _, ...others } = targets;
    onChange({ ...value, targets: text.trim() ? { ...others, [name]: text } : others });
  };
  return (
    <>
      <QuantityField value={value} onChange={onChange} errors={errors} />
      {asks.map((asked) => (
        <Field
          key={asked.name}
          label={asked.is_required ? `${asked.name} *` : asked.name}
          errors={errors[`targets.${asked.name}`]}
          hint={asked.values.join(', ') || asked.placeholder || undefined}
        >
          {(given) => (
            <textarea
              {...given}
              className="input"
              rows={asked.view_type === 'textarea' ? 4 : 1}
              value={targets[asked.name] ?? ''}
              onChange={(event) => answer(asked.name, event.target.value)}
            />
          )}
        </Field>
      ))}
      {!row && <p className="hint">{t('freeTrials.answersHint')}</p>}
    </>
  );
}

function QuantityField({ value, onChange, errors }: Pick<FormProps<Row>, 'value' | 'onChange' | 'errors'>) {
  const { t } = useTranslation();
  return (
    <Field label={t('freeTrials.columns.quantity')} errors={errors.quantity} hint={t('freeTrials.quantityHint')}>
      {(given) => (
        <input
          {...given}
          className="input"
          inputMode="numeric"
          data-autofocus
          value={String(value.quantity ?? '')}
          onChange={(event) => onChange({ ...value, quantity: event.target.value.replace(/\D/g, '').slice(0, 15) })}
        />
      )}
    </Field>
  );
}

const reject: Action<Row> = {
  name: 'rejectTrial',
  icon: 'thumbs-down',
  tone: 'danger',
  allows: (row) => row.actions.rejectable,
  ...eachOf('POST', '/api/v1/admin/free-trials/{id}/reject'),
};

export const FREE_TRIALS: List<Row> = {
  name: 'free-trials',
  title: 'freeTrials.title',
  path: '/api/v1/admin/free-trials',
  columns: COLUMNS,
  defaults: { status: 'pending' },
  stays: ['status'],
  actions: [approve, reject],
};

export default function FreeTrials() {
  return <ServerTable list={FREE_TRIALS} />;
}
