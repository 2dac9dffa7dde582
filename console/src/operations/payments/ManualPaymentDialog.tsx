// The dialog in which staff credit or debit the balance of a customer manually. All attempts use the same idempotency key, so that
// a retry does not book the payment twice.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { BalanceType, TransactionType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { enumCodec, idCodec, manualMoneyCodec, textOrNullCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

const PAYMENT_FORM = defineForm<Schemas['ManualPaymentInput']>()({
  user_id: orDefault(idCodec, 0),
  transaction_type: enumCodec(TransactionType),
  balance_type: enumCodec(BalanceType),
  amount: orDefault(manualMoneyCodec, ''),
  comment: textOrNullCodec,
});

interface Props {
  onClose: () => void;
  onDone: () => void;
  /** The id of the customer. Without it, the dialog has a field for the customer. */
  userId?: number;
}

export function ManualPaymentDialog({ onClose, onDone, userId }: Props) {
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
      initialValues={{
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
      successMessage={({ data }) => t('payments.created', { amount: formatMoney(data.amount), name: data.user.name })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
