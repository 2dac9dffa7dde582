// What was paid to a panel, and what of it arrived there.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { externalPanelPayments } from '@/api/lists/external-panel-payments';
import { moneyOf } from '@/i18n/format';
import type { Action } from '@/table/action';
import { type List, within } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import type { Values } from '@/ui/useForm';
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
    ...eachOf('DELETE', `${PATH}/{id}`),
  },
];

function paymentsOf(panel: ExternalPanel, edit: (payment: Payment) => void): List<Payment> {
  const sum = (name: (typeof AMOUNTS)[number] | 'received') => ({
    width: 140,
    cell: (row: Payment) => moneyOf(row[name], panel.currency),
  });
  const list: List<Payment> = listOf(externalPanelPayments, {
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
  return within(list, { external_panel_id: String(panel.id) });
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
          <Button look="filled" icon="plus" label={t('externalPanels.billing.add')} onClick={() => setEdited('new')} />
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

function before(payment: Payment | null): Values {
  if (!payment) return { date: new Date().toISOString().slice(0, 10) };
  const { date, updated_at } = payment;
  return { date, updated_at, ...Object.fromEntries(AMOUNTS.map((name) => [name, payment[name]])) };
}

interface Props {
  panel: ExternalPanel;
  payment: Payment | null;
  onClose: () => void;
  onSaved: () => void;
}

function PaymentForm({ panel, payment, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  return (
    <FormDialog
      title={payment ? t('externalPanels.billing.edit') : t('externalPanels.billing.add')}
      confirm={t('ui.save')}
      fields={[
        { name: 'date', label: t('externalPanels.billing.columns.date'), mode: 'date' },
        ...AMOUNTS.map((name) => ({
          name,
          label: `${t(`externalPanels.billing.columns.${name}`)}, ${panel.currency}`,
          hint: t(`externalPanels.billing.hints.${name}`),
          mode: 'decimal' as const,
        })),
      ]}
      initial={before(payment)}
      onClose={onClose}
      onSave={async (values, was) => {
        const amounts = AMOUNTS.map((name) => [name, (values[name] ?? '').replace(/\s/g, '').replace(',', '.')]);
        const body: Schemas['ExternalPanelPaymentInput'] = {
          ...Object.fromEntries(amounts.map(([name, value]) => [name, value || '0'])),
          ...(values.date ? { date: values.date } : {}),
          ...(was.updated_at ? { updated_at: was.updated_at } : {}),
          external_panel_id: panel.id,
        };
        await told(
          payment
            ? api.PUT(`${PATH}/{id}`, { params: { path: { id: payment.id } }, body })
            : api.POST(PATH, { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
    />
  );
}
