// Refills of an order: what was asked for, how it refills by itself, and asking for one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { or } from '@/form/codec';
import { quantity, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { count } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

const REFILL = formOf<Schemas['RefillRequestInput']>()({ quantity: or(quantity, 0) });
const PARAMS = formOf<Schemas['AutoRefillParamsInput']>()({
  drop_quantity: or(quantity, 0),
  refill_quantity: or(quantity, 0),
  auto_refill_is_allowed: tick,
  broken_pipes: tick,
});

interface Closing {
  request: Schemas['RefillRequest'];
  verb: 'complete' | 'reject';
}

/** Completes or rejects a request that no external panel was asked for. */
async function close(order: number, { request, verb }: Closing, key: string) {
  const call = { params: { path: { id: order, refill_request_id: request.id } }, ...keyed(key) };
  if (verb === 'complete') {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete', call));
  } else {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject', call));
  }
}

export function Refills({ order }: { order: Schemas['Order'] }) {
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
      (await unwrap(api.GET('/api/v1/admin/orders/{id}/order-refill-requests', { params: path }))).data,
  });
  const { data: params } = useQuery({
    queryKey: ['orders', 'auto-refill', order.id],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/orders/{id}/auto-refill-params', { params: path }))).data,
  });
  return (
    <Panel
      title={t('orders.refills.title')}
      aside={
        <>
          {params && may('write auto refill params') && (
            <Button icon="pencil" label={t('orders.refills.params')} onClick={() => setEditing(true)} />
          )}
          {order.actions.refillable && (
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
          send={(_, key) => close(order.id, closing, key)}
          invalidates={[['orders']]}
          onClose={() => setClosing(undefined)}
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
          fields={[{ name: 'quantity', label: t('orders.columns.quantity') }]}
          spec={REFILL}
          initial={REFILL.valuesOf({ quantity: order.quantity })}
          send={({ values }, key) =>
            unwrap(
              api.POST('/api/v1/admin/orders/{id}/order-refill-requests', {
                params: path,
                body: REFILL.wholeOf(values),
                ...keyed(key),
              }),
            )
          }
          invalidates={[['orders']]}
          onClose={() => setAsking(false)}
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
        { name: 'drop_quantity', label: t('orders.refills.dropped') },
        { name: 'refill_quantity', label: t('orders.refills.next') },
        { name: 'auto_refill_is_allowed', label: t('orders.refills.allowed') },
        { name: 'broken_pipes', label: t('orders.refills.broken') },
      ]}
      spec={PARAMS}
      initial={PARAMS.valuesOf(params)}
      // What differs alone: losses move by themselves, and the dialog must not write an old one back.
      send={({ values, base }) => {
        const body = PARAMS.changesOf(values, base);
        return unwrap(api.PATCH('/api/v1/admin/orders/{id}/auto-refill-params', { params: { path: { id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
