// Requests for free trials: what customers ask for, and the decision.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { freeTrials } from '@/api/lists/free-trials';
import { QuantityField } from '@/form/QuantityField';
import { useAsks } from '@/operations/orders/PlaceForm';
import { useMay } from '@/session/hooks';
import { type Action, type FormProps, typed } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { UrlCell } from '@/ui/cells';
import { Field } from '@/ui/Field';

type Row = Schemas['FreeTrial'];

/** What is given. */
interface Approval {
  quantity?: number | null;
  targets?: Record<string, string>;
}

const approve = typed<Row, Approval>({
  name: 'approveTrial',
  icon: 'thumbs-up',
  allows: (row) => row.actions.approvable,
  Form: ApproveForm,
  fields: ['quantity'],
  ...eachOf('POST', '/api/v1/admin/free-trials/{id}/approve', {
    body: ({ quantity, targets }: Approval) => ({
      ...(quantity === null || quantity === undefined ? {} : { quantity }),
      ...(targets ? { targets } : {}),
    }),
  }),
});

/** The quantity, and what the service of a single request asks; several requests may give different services. */
function ApproveForm({ value, onChange, errors, row }: FormProps<Row, Approval>) {
  const { t } = useTranslation();
  const asks = useAsks(row ? String(row.service_id) : '', useMay()('view services'));
  const { targets = {} } = value;
  const answer = (name: string, text: string) => {
    const { [name]: _, ...others } = targets;
    onChange({ ...value, targets: text.trim() ? { ...others, [name]: text } : others });
  };
  return (
    <>
      <QuantityField
        label={t('freeTrials.columns.quantity')}
        hint={t('freeTrials.quantityHint')}
        value={value.quantity}
        onChange={(quantity) => onChange({ ...value, quantity })}
        errors={errors.quantity}
        first
      />
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

const reject: Action<Row> = {
  name: 'rejectTrial',
  icon: 'thumbs-down',
  tone: 'danger',
  allows: (row) => row.actions.rejectable,
  ...eachOf('POST', '/api/v1/admin/free-trials/{id}/reject'),
};

export const FREE_TRIALS: List<Row> = listOf(freeTrials, {
  title: 'freeTrials.title',
  columns: {
    id: 76,
    'user.name': 140,
    quantity: { width: 92, cell: (row) => row.quantity },
    url: { width: 190, cell: (row) => <UrlCell url={row.url} /> },
    proof_url: { width: 190, cell: (row) => (row.proof_url ? <UrlCell url={row.proof_url} opens /> : '–') },
    order_id: {
      width: 92,
      cell: (row) => (row.order_id ? <Link href={`/orders/${row.order_id}`}>{row.order_id}</Link> : '–'),
    },
    'approved_by.name': 130,
    free_trial_quest_id: 92,
  },
  defaults: { status: 'pending' },
  stays: ['status'],
  actions: [approve, reject],
});

export default function FreeTrials() {
  return <ServerTable list={FREE_TRIALS} />;
}
