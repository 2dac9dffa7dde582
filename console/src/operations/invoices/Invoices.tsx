// The list of invoices. A customer creates an invoice to announce a payment. Unpaid invoices come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { invoices } from '@/api/lists/invoices';
import { manualMoneyCodec } from '@/form/codecs';
import { addAmounts } from '@/form/decimal';
import { formatMoney } from '@/i18n/format';
import { asUntypedAction, type FormProps } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Field } from '@/ui/Field';

type InvoiceRow = Schemas['Invoice'];

/** The list changes while it is open: customers pay invoices, and other staff members mark them as paid. */
const REFETCH_INTERVAL_MS = 30_000;

type MarkAsPaidInput = Partial<Schemas['PayInvoiceInput']>;

const parseAmount = ({ amount = '' }: MarkAsPaidInput) => manualMoneyCodec.parse(amount) ?? '';

function MarkAsPaidForm({ value, onChange, errors, row }: FormProps<InvoiceRow, MarkAsPaidInput>) {
  const { t } = useTranslation();
  return (
    <>
      {row && (
        <p>
          {t('invoices.summary', { name: row.user.name, shortName: row.short_name, amount: formatMoney(row.amount) })}
        </p>
      )}
      <Field label={t('invoices.columns.paidAmount')} errors={errors.amount} hint={t('invoices.amountHint')}>
        {(controlProps) => (
          <input
            {...controlProps}
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
        {(controlProps) => (
          <textarea
            {...controlProps}
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

/** Shows the result of the dry run: the amount and the bonus that will be credited to the customer. */
function CreditPreview({ row }: { row: InvoiceRow }) {
  const { t } = useTranslation();
  const [amount, bonus] = [row.paid_amount ?? '0', row.bonus_amount];
  const values = {
    amount: formatMoney(amount),
    bonus: formatMoney(bonus),
    total: formatMoney(addAmounts(amount, bonus)),
  };
  return (
    <p>{Number(bonus) === 0 ? t('invoices.creditWithoutBonus', values) : t('invoices.creditWithBonus', values)}</p>
  );
}

const markAsPaidAction = asUntypedAction<InvoiceRow, MarkAsPaidInput>({
  name: 'markInvoiceAsPaid',
  icon: 'check',
  isSingleRecordOnly: true,
  isAllowedFor: (row) => row.actions.can_be_marked_as_paid,
  isReady: (input) => parseAmount(input) !== '',
  loadInitial: async (row) => ({ amount: row.amount }),
  Form: MarkAsPaidForm,
  fields: ['amount', 'comment'],
  PreviewDetails: CreditPreview,
  ...createPerRecordRequests('POST', '/api/v1/admin/invoices/{id}/mark-as-paid', {
    body: (input: MarkAsPaidInput) => ({ amount: parseAmount(input), comment: input.comment?.trim() || null }),
  }),
});

export const INVOICE_LIST: List<InvoiceRow> = defineList(invoices, {
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
  defaultFilters: { status: 'pending' },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: [markAsPaidAction],
});

export default function Invoices() {
  return <ServerTable list={INVOICE_LIST} />;
}
