// Refills of an order: what was asked for, how it refills by itself, and asking for one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { count } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { FormDialog } from '@/ui/FormDialog';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

interface Closing {
  request: Schemas['RefillRequest'];
  verb: 'complete' | 'reject';
}

/** Completes or rejects a request that no external panel was asked for. */
async function close(order: number, { request, verb }: Closing) {
  const params = { path: { id: order, refill_request_id: request.id } };
  if (verb === 'complete') {
    await told(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete', { params }));
  } else {
    await told(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject', { params }));
  }
}

export function Refills({ order, mayAsk }: { order: Schemas['Order']; mayAsk: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const [editing, setEditing] = useState(false);
  const [closing, setClosing] = useState<Closing>();
  const path = { path: { id: order.id } };
  const key = ['orders', 'refills', order.id];
  const { data: requests = [] } = useQuery({
    queryKey: key,
    queryFn: async () =>
      (await told(api.GET('/api/v1/admin/orders/{id}/order-refill-requests', { params: path }))).data,
  });
  const { data: params } = useQuery({
    queryKey: ['orders', 'auto-refill', order.id],
    queryFn: async () => (await told(api.GET('/api/v1/admin/orders/{id}/auto-refill-params', { params: path }))).data,
  });
  return (
    <Panel
      title={t('orders.refills.title')}
      aside={
        <>
          {params && may('write auto refill params') && (
            <Button icon="pencil" label={t('orders.refills.params')} onClick={() => setEditing(true)} />
          )}
          {mayAsk && order.has_refill && order.status === 'completed' && (
            <Button icon="replay" label={t('orders.refills.ask')} onClick={() => setAsking(true)} />
          )}
        </>
      }
    >
      <Facts
        rows={[
          [
            t('orders.refills.first'),
            order.refill.first && `${count(order.refill.first.quantity)} · ${order.refill.first.date}`,
          ],
          [
            t('orders.refills.last'),
            order.refill.last && `${count(order.refill.last.quantity)} · ${order.refill.last.date}`,
          ],
          [t('orders.refills.source'), order.refill.source && t(`orders.refills.sources.${order.refill.source}`)],
          [t('orders.refills.dropped'), params && count(params.drop_quantity)],
          [t('orders.refills.refilled'), params && count(params.order_current_refilled_quantity)],
          [t('orders.refills.next'), params && count(params.refill_quantity)],
          [t('orders.refills.allowed'), params && <Flag key="on" on={params.auto_refill_is_allowed} />],
          [t('orders.refills.broken'), params && <Flag key="on" on={params.broken_pipes} bad />],
          [t('orders.refills.same'), params && count(params.orders_with_same_promotable)],
        ]}
      />
      <SmallTable
        label={t('orders.refills.title')}
        rows={requests}
        rowKey={(request) => request.id}
        empty={t('orders.refills.none')}
        columns={[
          { title: t('orders.columns.createdAt'), cell: (request) => <When at={request.created_at} /> },
          { title: t('orders.columns.quantity'), align: 'end', cell: (request) => count(request.quantity) },
          { title: t('orders.columns.status'), cell: (request) => <StatusTag status={request.status} /> },
          { title: t('payments.columns.admin'), cell: (request) => request.created_by?.name ?? t('orders.system') },
          { title: t('orders.refills.error'), cell: (request) => request.last_error ?? '' },
          {
            title: '',
            cell: (request) =>
              request.closable && (
                <>
                  <Button
                    label={t('orders.refills.complete')}
                    onClick={() => setClosing({ request, verb: 'complete' })}
                  />
                  <Button label={t('orders.refills.reject')} onClick={() => setClosing({ request, verb: 'reject' })} />
                </>
              ),
          },
        ]}
      />
      {closing && (
        <FormDialog
          title={t(`orders.refills.${closing.verb}`)}
          note={<p>{t(`orders.refills.${closing.verb}Hint`, { quantity: count(closing.request.quantity) })}</p>}
          confirm={t(`orders.refills.${closing.verb}`)}
          fields={[]}
          initial={{}}
          onClose={() => setClosing(undefined)}
          onSave={async () => {
            await close(order.id, closing);
            await queries.invalidateQueries({ queryKey: ['orders'] });
          }}
        />
      )}
      {editing && params && (
        <RefillParams
          id={order.id}
          params={params}
          onClose={() => setEditing(false)}
          onChanged={() => void queries.invalidateQueries({ queryKey: ['orders'] })}
        />
      )}
      {asking && (
        <FormDialog
          title={t('orders.refills.ask')}
          confirm={t('orders.refills.ask')}
          fields={[{ name: 'quantity', label: t('orders.columns.quantity'), mode: 'numeric' }]}
          initial={{ quantity: String(order.quantity) }}
          onClose={() => setAsking(false)}
          onSave={async ({ quantity }) => {
            await told(
              api.POST('/api/v1/admin/orders/{id}/order-refill-requests', {
                params: path,
                body: { quantity: Number(quantity) },
              }),
            );
            await queries.invalidateQueries({ queryKey: key });
          }}
        />
      )}
    </Panel>
  );
}

interface ParamsProps {
  id: number;
  params: Schemas['AutoRefillParams'];
  onClose: () => void;
  onChanged: () => void;
}

function RefillParams({ id, params, onClose, onChanged }: ParamsProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('orders.refills.params')}
      confirm={t('ui.save')}
      fields={[
        { name: 'drop_quantity', label: t('orders.refills.dropped'), mode: 'numeric' },
        { name: 'refill_quantity', label: t('orders.refills.next'), mode: 'numeric' },
        { name: 'auto_refill_is_allowed', label: t('orders.refills.allowed'), mode: 'tick' },
        { name: 'broken_pipes', label: t('orders.refills.broken'), mode: 'tick' },
      ]}
      initial={{
        drop_quantity: String(params.drop_quantity),
        refill_quantity: String(params.refill_quantity),
        auto_refill_is_allowed: params.auto_refill_is_allowed ? 'yes' : '',
        broken_pipes: params.broken_pipes ? 'yes' : '',
      }}
      onClose={onClose}
      onSave={async (values) => {
        const typed = {
          drop_quantity: whole(values.drop_quantity),
          refill_quantity: whole(values.refill_quantity),
          auto_refill_is_allowed: values.auto_refill_is_allowed === 'yes',
          broken_pipes: values.broken_pipes === 'yes',
        };
        const body = changed(typed, params);
        await told(api.PATCH('/api/v1/admin/orders/{id}/auto-refill-params', { params: { path: { id } }, body }));
        onChanged();
      }}
    />
  );
}

/** What differs from the stored parameters. Losses move by themselves: the dialog must not write an old one back. */
function changed<T extends object>(typed: T, stored: T): Partial<T> {
  const keys = (Object.keys(typed) as (keyof T)[]).filter((key) => typed[key] !== stored[key]);
  return Object.fromEntries(keys.map((key) => [key, typed[key]])) as Partial<T>;
}

/** What was typed, without the spaces people put in. An empty field is nothing. */
const whole = (text = '') => Number(text.replace(/\s/g, '')) || 0;
