// The refills of an order: its refill requests and the parameters of automatic refills.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkbox, quantity } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card, DescriptionList, SmallTable } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { StatusTag } from '@/ui/StatusTag';

const REFILL = defineForm<Schemas['RefillRequestInput']>()({ quantity: orDefault(quantity, 0) });
const PARAMS = defineForm<Schemas['AutoRefillParamsInput']>()({
  drop_quantity: orDefault(quantity, 0),
  refill_quantity: orDefault(quantity, 0),
  auto_refill_is_allowed: checkbox,
  broken_pipes: checkbox,
});

interface RefillDecision {
  request: Schemas['RefillRequest'];
  verb: 'complete' | 'reject';
}

/** Completes or rejects a refill request that was not sent to an external panel. */
async function decide(orderId: number, { request, verb }: RefillDecision, key: string) {
  const init = { params: { path: { id: orderId, refill_request_id: request.id } }, ...withIdempotencyKey(key) };
  if (verb === 'complete') {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete', init));
  } else {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject', init));
  }
}

export function Refills({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const hasPermission = useHasPermission();
  const [requesting, setRequesting] = useState(false);
  const [editing, setEditing] = useState(false);
  const [deciding, setDeciding] = useState<RefillDecision>();
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
    <Card
      title={t('orders.refills.title')}
      aside={
        <>
          {params && hasPermission('write auto refill params') && (
            <Button icon="pencil" label={t('orders.refills.params')} onClick={() => setEditing(true)} />
          )}
          {order.actions.refillable && (
            <Button icon="replay" label={t('orders.refills.ask')} onClick={() => setRequesting(true)} />
          )}
        </>
      }
    >
      <DescriptionList
        rows={[
          [
            t('orders.refills.first'),
            order.refill.first && `${formatNumber(order.refill.first.quantity)} · ${order.refill.first.date}`,
          ],
          [
            t('orders.refills.last'),
            order.refill.last && `${formatNumber(order.refill.last.quantity)} · ${order.refill.last.date}`,
          ],
          [t('orders.refills.source'), order.refill.source && t(`orders.refills.sources.${order.refill.source}`)],
          [t('orders.refills.dropped'), params && formatNumber(params.drop_quantity)],
          [t('orders.refills.refilled'), params && formatNumber(params.order_current_refilled_quantity)],
          [t('orders.refills.next'), params && formatNumber(params.refill_quantity)],
          [t('orders.refills.allowed'), params && <Flag key="on" on={params.auto_refill_is_allowed} />],
          [t('orders.refills.broken'), params && <Flag key="on" on={params.broken_pipes} bad />],
          [t('orders.refills.same'), params && formatNumber(params.orders_with_same_promotable)],
        ]}
      />
      <SmallTable
        label={t('orders.refills.title')}
        rows={requests}
        rowKey={(request) => request.id}
        empty={t('orders.refills.none')}
        columns={[
          { title: t('orders.columns.createdAt'), cell: (request) => <DateTime at={request.created_at} /> },
          { title: t('orders.columns.quantity'), align: 'end', cell: (request) => formatNumber(request.quantity) },
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
                    onClick={() => setDeciding({ request, verb: 'complete' })}
                  />
                  <Button label={t('orders.refills.reject')} onClick={() => setDeciding({ request, verb: 'reject' })} />
                </>
              ),
          },
        ]}
      />
      {deciding && (
        <FormDialog
          title={t(`orders.refills.${deciding.verb}`)}
          note={
            <p>{t(`orders.refills.${deciding.verb}Hint`, { quantity: formatNumber(deciding.request.quantity) })}</p>
          }
          confirm={t(`orders.refills.${deciding.verb}`)}
          fields={[]}
          initial={{}}
          send={(_, key) => decide(order.id, deciding, key)}
          invalidates={[['orders']]}
          onClose={() => setDeciding(undefined)}
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
      {requesting && (
        <FormDialog
          title={t('orders.refills.ask')}
          confirm={t('orders.refills.ask')}
          fields={[{ name: 'quantity', label: t('orders.columns.quantity') }]}
          spec={REFILL}
          initial={REFILL.toValues({ quantity: order.quantity })}
          send={({ values }, key) =>
            unwrap(
              api.POST('/api/v1/admin/orders/{id}/order-refill-requests', {
                params: path,
                body: REFILL.toBody(values),
                ...withIdempotencyKey(key),
              }),
            )
          }
          invalidates={[['orders']]}
          onClose={() => setRequesting(false)}
        />
      )}
    </Card>
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
      initial={PARAMS.toValues(params)}
      // Sends only changed fields: the server updates `drop_quantity` by itself, and the dialog must not overwrite it.
      send={({ values, base }) => {
        const body = PARAMS.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/orders/{id}/auto-refill-params', { params: { path: { id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
