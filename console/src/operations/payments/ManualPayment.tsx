// The dialog that credits or debits the balance of a customer manually. The dialog uses one idempotency key, so that a double
// click does not pay twice.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { BalanceType, TransactionType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { choice, id, manualMoney, textOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

const PAYMENT_FORM = defineForm<Schemas['ManualPaymentInput']>()({
  user_id: orDefault(id, 0),
  transaction_type: choice(TransactionType),
  balance_type: choice(BalanceType),
  amount: orDefault(manualMoney, ''),
  comment: textOrNull,
});

interface Props {
  onClose: () => void;
  onDone: () => void;
  /** The id of the customer. Without it, the dialog has a field for the customer. */
  userId?: number;
}

export function ManualPayment({ onClose, onDone, userId }: Props) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  // Staff who may not view users enter the id of the customer, because they cannot search by name.
  const customerField: FormField = hasPermission('view users')
    ? {
        name: 'user_id',
        label: t('payments.columns.user'),
        render: ({ id, invalid, onChange }) => (
          <UserField id={id} label={t('payments.columns.user')} invalid={invalid} onChange={onChange} />
        ),
      }
    : { name: 'user_id', label: t('payments.userId'), mode: 'numeric', hint: t('payments.userHint') };
  return (
    <FormDialog
      title={t('payments.create')}
      confirmLabel={t('payments.create')}
      fields={[
        ...(userId ? [] : [customerField]),
        {
          name: 'transaction_type',
          label: t('payments.columns.transactionType'),
          options: TransactionType.map((value) => ({ value, label: t(`status.${value}`) })),
        },
        {
          name: 'balance_type',
          label: t('orders.balance'),
          options: BalanceType.map((value) => ({ value, label: t(`balanceType.${value}`) })),
        },
        { name: 'amount', label: t('payments.columns.amount'), hint: t('payments.amountHint') },
        {
          name: 'comment',
          label: t('payments.columns.comment'),
          hint: t('payments.commentHint'),
          mode: 'multiline',
          maxLength: 1000,
        },
      ]}
      initial={{
        user_id: userId ? String(userId) : '',
        transaction_type: 'income',
        balance_type: 'main',
        amount: '',
        comment: '',
      }}
      spec={PAYMENT_FORM}
      send={({ values }, key) =>
        unwrap(
          api.POST('/api/v1/admin/payments', {
            body: PAYMENT_FORM.toBody(values),
            ...withIdempotencyKey(key),
          }),
        )
      }
      success={({ data }) => t('payments.created', { amount: formatMoney(data.amount), name: data.user.name })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
