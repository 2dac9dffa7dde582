// Money given to or taken from a customer by hand. One key for the whole dialog: pressing twice pays once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { UserField } from '@/ui/UserField';

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
  const [key] = useState(() => crypto.randomUUID());
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
          options: (['income', 'outcome'] as const).map((value) => ({ value, label: t(`status.${value}`) })),
        },
        {
          name: 'balance_type',
          label: t('orders.balance'),
          options: (['main', 'task', 'referral'] as const).map((value) => ({
            value,
            label: t(`balanceType.${value}`),
          })),
        },
        { name: 'amount', label: t('payments.columns.amount'), mode: 'decimal', hint: t('payments.amountHint') },
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
      onClose={onClose}
      onSave={async (values) => {
        const body = {
          user_id: Number(values.user_id) || 0,
          transaction_type: values.transaction_type as Schemas['TransactionType'],
          balance_type: values.balance_type as Schemas['BalanceType'],
          amount: (values.amount ?? '').replace(/\s/g, ''),
          comment: values.comment || null,
        };
        const { data } = await told(api.POST('/api/v1/admin/payments', { body, headers: { 'Idempotency-Key': key } }));
        toast({ tone: 'success', text: t('payments.created', { amount: money(data.amount), name: data.user.name }) });
        onDone();
      }}
    />
  );
}
