// What can be done to withdrawals, as data: a call for each, with the note or the transfer that it needs.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { money } from '@/i18n/format';
import { type Action, type FormProps, typed } from '@/table/action';
import { eachOf } from '@/table/each';
import { Field } from '@/ui/Field';

type Row = Schemas['Withdrawal'];

type Payment = Partial<Schemas['PaidWithdrawalInput']>;
type Refusal = Partial<Schemas['RejectWithdrawalInput']>;

/** Where the money goes or comes back to, for the last look. */
function Facts({ row }: { row: Row | null }) {
  const { t } = useTranslation();
  if (!row) return null;
  return (
    <p>
      {t('withdrawals.of', {
        amount: money(row.amount),
        name: row.user.name,
        method: row.withdrawal_method?.name ?? '–',
        account: row.account_number,
      })}
    </p>
  );
}

function RejectForm({ value, onChange, errors, row, count }: FormProps<Row, Refusal>) {
  const { t } = useTranslation();
  return (
    <>
      <Facts row={row} />
      <Field
        label={t('withdrawals.columns.note')}
        errors={errors.admin_note}
        hint={t('withdrawals.noteHint', { count })}
      >
        {(given) => (
          <textarea
            {...given}
            className="input"
            rows={3}
            maxLength={1000}
            required
            data-autofocus
            value={value.admin_note ?? ''}
            onChange={(event) => onChange({ ...value, admin_note: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function PaidForm({ value, onChange, errors, row }: FormProps<Row, Payment>) {
  const { t } = useTranslation();
  return (
    <>
      <Facts row={row} />
      <Field
        label={t('withdrawals.columns.transaction')}
        errors={errors.transaction_id}
        hint={t('withdrawals.transactionHint')}
      >
        {(given) => (
          <input
            {...given}
            className="input"
            maxLength={200}
            autoComplete="off"
            required
            data-autofocus
            value={value.transaction_id ?? ''}
            onChange={(event) => onChange({ ...value, transaction_id: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

export const WITHDRAWAL_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'approveWithdrawal',
    icon: 'thumbs-up',
    allows: (row) => row.actions.approve,
    ...eachOf('POST', '/api/v1/admin/withdrawals/{id}/approve'),
  },
  typed<Row, Payment>({
    name: 'payWithdrawal',
    icon: 'check',
    allows: (row) => row.actions.paid,
    kept: (row) => row.actions.needs_colleague,
    single: true,
    ready: ({ transaction_id = '' }) => transaction_id.trim() !== '',
    Form: PaidForm,
    fields: ['transaction_id'],
    ...eachOf('POST', '/api/v1/admin/withdrawals/{id}/mark-as-paid', {
      body: ({ transaction_id = '' }: Payment) => ({ transaction_id: transaction_id.trim() }),
    }),
  }),
  typed<Row, Refusal>({
    name: 'rejectWithdrawal',
    icon: 'thumbs-down',
    tone: 'danger',
    allows: (row) => row.actions.reject,
    ready: ({ admin_note = '' }) => admin_note.trim() !== '',
    Form: RejectForm,
    fields: ['admin_note'],
    ...eachOf('POST', '/api/v1/admin/withdrawals/{id}/reject', {
      body: ({ admin_note = '' }: Refusal) => ({ admin_note: admin_note.trim() }),
    }),
  }),
];
