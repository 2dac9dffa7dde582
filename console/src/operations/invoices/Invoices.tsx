// Invoices: money that customers said they would send. Those that wait come first.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { invoices } from '@/api/lists/invoices';
import { moneyByHand } from '@/form/codecs';
import { add } from '@/form/decimal';
import { money } from '@/i18n/format';
import { type FormProps, typed } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Field } from '@/ui/Field';

type Row = Schemas['Invoice'];

/** Customers pay and colleagues decide meanwhile. */
const EVERY_MS = 30_000;

type Payment = Partial<Schemas['PayInvoiceInput']>;

const amountOf = ({ amount = '' }: Payment) => moneyByHand.parse(amount) ?? '';

function PayForm({ value, onChange, errors, row }: FormProps<Row, Payment>) {
  const { t } = useTranslation();
  return (
    <>
      {row && <p>{t('invoices.of', { name: row.user.name, shortName: row.short_name, amount: money(row.amount) })}</p>}
      <Field label={t('invoices.columns.paidAmount')} errors={errors.amount} hint={t('invoices.amountHint')}>
        {(given) => (
          <input
            {...given}
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
        {(given) => (
          <textarea
            {...given}
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

/** What the customer would have of it, with the bonus that the amount reaches. */
function Credits({ row }: { row: Row }) {
  const { t } = useTranslation();
  const [paid, bonus] = [row.paid_amount ?? '0', row.bonus_amount];
  const texts = { amount: money(paid), bonus: money(bonus), all: money(add(paid, bonus)) };
  return <p>{Number(bonus) === 0 ? t('invoices.credits', texts) : t('invoices.creditsWithBonus', texts)}</p>;
}

const pay = typed<Row, Payment>({
  name: 'payInvoice',
  icon: 'check',
  single: true,
  allows: (row) => row.actions.can_be_marked_as_paid,
  ready: (input) => amountOf(input) !== '',
  start: async (row) => ({ amount: row.amount }),
  Form: PayForm,
  fields: ['amount', 'comment'],
  Would: Credits,
  ...eachOf('POST', '/api/v1/admin/invoices/{id}/mark-as-paid', {
    body: (input: Payment) => ({ amount: amountOf(input), comment: input.comment?.trim() || null }),
  }),
});

export const INVOICES: List<Row> = listOf(invoices, {
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
  everyMs: EVERY_MS,
  actions: [pay],
});

export default function Invoices() {
  return <ServerTable list={INVOICES} />;
}
