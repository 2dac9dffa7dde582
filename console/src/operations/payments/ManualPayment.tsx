// Money given to or taken from a customer by hand. One key for the whole dialog: pressing twice pays once.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { BalanceType, TransactionType } from '@/api/words';
import { or } from '@/form/codec';
import { choice, id, moneyByHand, textOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

const PAYMENT = formOf<Schemas['ManualPaymentInput']>()({
  user_id: or(id, 0),
  transaction_type: choice(TransactionType),
  balance_type: choice(BalanceType),
  amount: or(moneyByHand, ''),
  comment: textOrNull,
});

export function ManualPayment({
  onClose,
  onDone,
  userId,
}: {
  onClose: () => void;
  onDone: () => void;
  userId?: number;
}) {
  const { t } = useTranslation();
  const may = useMay();
  // Who may not look for users knows their id.
  const whom: FormField = may('view users')
    ? {
        name: 'user_id',
        label: t('payments.columns.user'),
        draw: ({ id, invalid, onChange }) => (
          <UserField id={id} label={t('payments.columns.user')} invalid={invalid} onChange={onChange} />
        ),
      }
    : { name: 'user_id', label: t('payments.userId'), mode: 'numeric', hint: t('payments.userHint') };
  return (
    <FormDialog
      title={t('payments.create')}
      confirm={t('payments.create')}
      fields={[
        ...(userId ? [] : [whom]),
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
          mode: 'long',
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
      spec={PAYMENT}
      send={({ values }, key) =>
        unwrap(
          api.POST('/api/v1/admin/payments', {
            body: PAYMENT.wholeOf(values),
            ...keyed(key),
          }),
        )
      }
      success={({ data }) => t('payments.created', { amount: money(data.amount), name: data.user.name })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
