// What was paid to a panel, and what of it arrived there.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { externalPanelPayments } from '@/api/lists/external-panel-payments';
import { fetchRows } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty, orDefault } from '@/form/codec';
import { day, money } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { formatMoneyIn } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import type { ExternalPanel } from './declaration';

type Payment = Schemas['ExternalPanelPayment'];

const PATH = '/api/v1/admin/external-panel-payments';
const AMOUNTS = ['amount', 'fee', 'payment_method_commission', 'bonus'] as const;

const ACTIONS: readonly Action<Payment>[] = [
  {
    name: 'deletePanelPayment',
    icon: 'trash',
    tone: 'danger',
    allows: (row) => row.actions.deletable,
    ...perRecordCalls('DELETE', `${PATH}/{id}`),
  },
];

function paymentsOf(panel: ExternalPanel, edit: (payment: Payment) => void): List<Payment> {
  const sum = (name: (typeof AMOUNTS)[number] | 'received') => ({
    width: 140,
    cell: (row: Payment) => formatMoneyIn(row[name], panel.currency),
  });
  const list: List<Payment> = defineList(externalPanelPayments, {
    title: 'externalPanels.billing.title',
    columns: {
      date: {
        width: 130,
        cell: (row) =>
          row.actions.editable ? (
            <button type="button" className="link" onClick={() => edit(row)}>
              {row.date}
            </button>
          ) : (
            row.date
          ),
      },
      amount: sum('amount'),
      fee: sum('fee'),
      payment_method_commission: sum('payment_method_commission'),
      bonus: sum('bonus'),
      received: sum('received'),
    },
    actions: ACTIONS,
  });
  return scopeToRecord(list, { external_panel_id: String(panel.id) });
}

export function Billing({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Payment | 'new' | null>(null);
  const list = useMemo(() => paymentsOf(panel, setEdited), [panel]);
  return (
    <>
      <ServerTable
        list={list}
        tools={
          <Button
            variant="filled"
            icon="plus"
            label={t('externalPanels.billing.add')}
            onClick={() => setEdited('new')}
          />
        }
      />
      {edited && (
        <PaymentForm
          panel={panel}
          payment={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: [list.name] })}
        />
      )}
    </>
  );
}

const amount = orDefault(money, '0');
const PAYMENT = defineForm<Schemas['ExternalPanelPaymentInput']>()({
  date: omitIfEmpty(day),
  amount,
  fee: amount,
  payment_method_commission: amount,
  bonus: amount,
});

const newest = async (payment: Payment) =>
  latestRow(payment, await fetchRows(externalPanelPayments, 1, undefined, { filters: { id: String(payment.id) } }));

interface Props {
  panel: ExternalPanel;
  payment: Payment | null;
  onClose: () => void;
  onSaved: () => void;
}

function PaymentForm({ panel, payment, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={payment ? t('externalPanels.billing.edit') : t('externalPanels.billing.add')}
      confirm={t('ui.save')}
      fields={[
        { name: 'date', label: t('externalPanels.billing.columns.date') },
        ...AMOUNTS.map((name) => ({
          name,
          label: `${t(`externalPanels.billing.columns.${name}`)}, ${panel.currency}`,
          hint: t(`externalPanels.billing.hints.${name}`),
        })),
      ]}
      spec={PAYMENT}
      initial={payment ? PAYMENT.toValues(payment) : { date: new Date().toISOString().slice(0, 10) }}
      reload={payment ? async () => PAYMENT.toValues(await newest(payment)) : undefined}
      send={({ values, base }, key) => {
        const body = { ...PAYMENT.toBody(values, base), external_panel_id: panel.id };
        return unwrap(
          payment
            ? api.PUT(`${PATH}/{id}`, { params: { path: { id: payment.id } }, body })
            : api.POST(PATH, { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
