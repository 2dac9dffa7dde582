// The actions on withdrawals, declared as data: approve, mark as paid with a transaction id, and reject with a note.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney } from '@/i18n/format';
import { type Action, asUntypedAction, type FormProps } from '@/table/action';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { Field } from '@/ui/Field';

type WithdrawalRow = Schemas['Withdrawal'];

type MarkAsPaidInput = Partial<Schemas['PaidWithdrawalInput']>;
type RejectInput = Partial<Schemas['RejectWithdrawalInput']>;

/** The amount, the customer and the account, so that the staff member can check them before the action. */
function WithdrawalSummary({ row }: { row: WithdrawalRow | null }) {
  const { t } = useTranslation();
  if (!row) return null;
  return (
    <p>
      {t('withdrawals.summary', {
        amount: formatMoney(row.amount),
        name: row.user.name,
        method: row.withdrawal_method?.name ?? '–',
        account: row.account_number,
      })}
    </p>
  );
}

function RejectForm({ value, onChange, errors, row, count }: FormProps<WithdrawalRow, RejectInput>) {
  const { t } = useTranslation();
  return (
    <>
      <WithdrawalSummary row={row} />
      <Field
        label={t('withdrawals.columns.note')}
        errors={errors.admin_note}
        hint={t('withdrawals.noteHint', { count })}
      >
        {(controlProps) => (
          <textarea
            {...controlProps}
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

function MarkAsPaidForm({ value, onChange, errors, row }: FormProps<WithdrawalRow, MarkAsPaidInput>) {
  const { t } = useTranslation();
  return (
    <>
      <WithdrawalSummary row={row} />
      <Field
        label={t('withdrawals.columns.transaction')}
        errors={errors.transaction_id}
        hint={t('withdrawals.transactionHint')}
      >
        {(controlProps) => (
          <input
            {...controlProps}
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

export const WITHDRAWAL_ACTIONS: readonly Action<WithdrawalRow>[] = [
  {
    name: 'approveWithdrawal',
    icon: 'thumbs-up',
    isAllowedFor: (row) => row.actions.approve,
    ...createPerRecordRequests('POST', '/api/v1/admin/withdrawals/{id}/approve'),
  },
  asUntypedAction<WithdrawalRow, MarkAsPaidInput>({
    name: 'markWithdrawalAsPaid',
    icon: 'check',
    isAllowedFor: (row) => row.actions.paid,
    isShownDisabled: (row) => row.actions.needs_colleague,
    isSingleRecordOnly: true,
    isReady: ({ transaction_id = '' }) => transaction_id.trim() !== '',
    Form: MarkAsPaidForm,
    fields: ['transaction_id'],
    ...createPerRecordRequests('POST', '/api/v1/admin/withdrawals/{id}/mark-as-paid', {
      body: ({ transaction_id = '' }: MarkAsPaidInput) => ({ transaction_id: transaction_id.trim() }),
    }),
  }),
  asUntypedAction<WithdrawalRow, RejectInput>({
    name: 'rejectWithdrawal',
    icon: 'thumbs-down',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.reject,
    isReady: ({ admin_note = '' }) => admin_note.trim() !== '',
    Form: RejectForm,
    fields: ['admin_note'],
    ...createPerRecordRequests('POST', '/api/v1/admin/withdrawals/{id}/reject', {
      body: ({ admin_note = '' }: RejectInput) => ({ admin_note: admin_note.trim() }),
    }),
  }),
];
