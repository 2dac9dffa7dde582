// The billing tab of an external panel's page: our payments to the external panel, and the amounts that it received.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { externalPanelPayments } from '@/api/lists/external-panel-payments';
import { fetchRows } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty, orDefault } from '@/form/codec';
import { dateCodec, moneyCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { findLatestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { formatMoneyIn } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import type { ExternalPanel } from './externalPanelList';

type PanelPayment = Schemas['ExternalPanelPayment'];

const PAYMENTS_PATH = '/api/v1/admin/external-panel-payments';
const AMOUNT_FIELDS = ['amount', 'fee', 'payment_method_commission', 'bonus'] as const;

const PAYMENT_ACTIONS: readonly Action<PanelPayment>[] = [
  {
    name: 'deletePanelPayment',
    icon: 'trash',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.deletable,
    ...createPerRecordRequests('DELETE', `${PAYMENTS_PATH}/{id}`),
  },
];

function definePaymentList(panel: ExternalPanel, onEdit: (payment: PanelPayment) => void): List<PanelPayment> {
  const defineAmountColumn = (name: (typeof AMOUNT_FIELDS)[number] | 'received') => ({
    width: 140,
    cell: (row: PanelPayment) => formatMoneyIn(row[name], panel.currency),
  });
  const list: List<PanelPayment> = defineList(externalPanelPayments, {
    title: 'externalPanels.billing.title',
    columns: {
      date: {
        width: 130,
        cell: (row) =>
          row.actions.editable ? (
            <button type="button" className="link" onClick={() => onEdit(row)}>
              {row.date}
            </button>
          ) : (
            row.date
          ),
      },
      amount: defineAmountColumn('amount'),
      fee: defineAmountColumn('fee'),
      payment_method_commission: defineAmountColumn('payment_method_commission'),
      bonus: defineAmountColumn('bonus'),
      received: defineAmountColumn('received'),
    },
    actions: PAYMENT_ACTIONS,
  });
  return scopeToRecord(list, { external_panel_id: String(panel.id) });
}

export function PanelPayments({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The payment that the user edits. 'new' for a new payment, null if the dialog is closed.
  const [editedPayment, setEditedPayment] = useState<PanelPayment | 'new' | null>(null);
  const list = useMemo(() => definePaymentList(panel, setEditedPayment), [panel]);
  return (
    <>
      <ServerTable
        list={list}
        tools={
          <Button
            variant="filled"
            icon="plus"
            label={t('externalPanels.billing.add')}
            onClick={() => setEditedPayment('new')}
          />
        }
      />
      {editedPayment && (
        <PaymentForm
          panel={panel}
          payment={editedPayment === 'new' ? null : editedPayment}
          onClose={() => setEditedPayment(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: [list.name] })}
        />
      )}
    </>
  );
}

const amountOrZeroCodec = orDefault(moneyCodec, '0');
const PAYMENT_FORM = defineForm<Schemas['ExternalPanelPaymentInput']>()({
  date: omitIfEmpty(dateCodec),
  amount: amountOrZeroCodec,
  fee: amountOrZeroCodec,
  payment_method_commission: amountOrZeroCodec,
  bonus: amountOrZeroCodec,
});

const fetchPayment = async (payment: PanelPayment) =>
  findLatestRow(payment, await fetchRows(externalPanelPayments, 1, undefined, { filters: { id: String(payment.id) } }));

interface PaymentFormProps {
  panel: ExternalPanel;
  payment: PanelPayment | null;
  onClose: () => void;
  onSaved: () => void;
}

function PaymentForm({ panel, payment, onClose, onSaved }: PaymentFormProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={payment ? t('externalPanels.billing.edit') : t('externalPanels.billing.add')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'date', label: t('externalPanels.billing.columns.date') },
        ...AMOUNT_FIELDS.map((name) => ({
          name,
          label: `${t(`externalPanels.billing.columns.${name}`)}, ${panel.currency}`,
          hint: t(`externalPanels.billing.hints.${name}`),
        })),
      ]}
      spec={PAYMENT_FORM}
      initialValues={payment ? PAYMENT_FORM.toValues(payment) : { date: new Date().toISOString().slice(0, 10) }}
      reload={payment ? async () => PAYMENT_FORM.toValues(await fetchPayment(payment)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = { ...PAYMENT_FORM.toBody(values, base), external_panel_id: panel.id };
        return unwrap(
          payment
            ? api.PUT(`${PAYMENTS_PATH}/{id}`, { params: { path: { id: payment.id } }, body })
            : api.POST(PAYMENTS_PATH, { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
