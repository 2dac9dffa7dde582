// The list of invoices: payments that customers announced. Unpaid invoices come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { invoices } from '@/api/lists/invoices';
import { manualMoney } from '@/form/codecs';
import { addAmounts } from '@/form/decimal';
import { formatMoney } from '@/i18n/format';
import { type FormProps, withInputErased } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Field } from '@/ui/Field';

type InvoiceRow = Schemas['Invoice'];

/** Customers pay and other staff members decide while the list is open. */
const REFETCH_INTERVAL_MS = 30_000;

type PayInput = Partial<Schemas['PayInvoiceInput']>;

const amountOf = ({ amount = '' }: PayInput) => manualMoney.parse(amount) ?? '';

function PayForm({ value, onChange, errors, row }: FormProps<InvoiceRow, PayInput>) {
  const { t } = useTranslation();
  return (
    <>
      {row && (
        <p>{t('invoices.of', { name: row.user.name, shortName: row.short_name, amount: formatMoney(row.amount) })}</p>
      )}
      <Field label={t('invoices.columns.paidAmount')} errors={errors.amount} hint={t('invoices.amountHint')}>
        {(control) => (
          <input
            {...control}
            className="input"
            inputMode="decimal"
            autoComplete="off"
            required
            data-autofocus
            value={value.amount ?? ''}
            onChange={(event) => onChange({ ...value, amount: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('payments.columns.comment')} errors={errors.comment} hint={t('invoices.commentHint')}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={2}
            maxLength={1000}
            value={value.comment ?? ''}
            onChange={(event) => onChange({ ...value, comment: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

/** The amount that the customer would be credited with, including the bonus for the amount. */
function CreditPreview({ row }: { row: InvoiceRow }) {
  const { t } = useTranslation();
  const [paid, bonus] = [row.paid_amount ?? '0', row.bonus_amount];
  const texts = { amount: formatMoney(paid), bonus: formatMoney(bonus), all: formatMoney(addAmounts(paid, bonus)) };
  return <p>{Number(bonus) === 0 ? t('invoices.credits', texts) : t('invoices.creditsWithBonus', texts)}</p>;
}

const payAction = withInputErased<InvoiceRow, PayInput>({
  name: 'payInvoice',
  icon: 'check',
  single: true,
  allows: (row) => row.actions.can_be_marked_as_paid,
  isReady: (input) => amountOf(input) !== '',
  loadInitial: async (row) => ({ amount: row.amount }),
  Form: PayForm,
  fields: ['amount', 'comment'],
  PreviewDetails: CreditPreview,
  ...perRecordCalls('POST', '/api/v1/admin/invoices/{id}/mark-as-paid', {
    body: (input: PayInput) => ({ amount: amountOf(input), comment: input.comment?.trim() || null }),
  }),
});

export const INVOICES: List<InvoiceRow> = defineList(invoices, {
  title: 'invoices.title',
  columns: {
    id: 84,
    short_name: 130,
    'user.name': 170,
    'payment_method.name': 150,
    amount: 116,
    paid_amount: 116,
    bonus_amount: 104,
    'coupon.code': 130,
  },
  defaults: { status: 'pending' },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: [payAction],
});

export default function Invoices() {
  return <ServerTable list={INVOICES} />;
}
