// The refills of an order: its refill requests and the parameters of automatic refills.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkboxCodec, quantityCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';

const REFILL_REQUEST_FORM = defineForm<Schemas['RefillRequestInput']>()({ quantity: orDefault(quantityCodec, 0) });
const AUTO_REFILL_FORM = defineForm<Schemas['AutoRefillParamsInput']>()({
  drop_quantity: orDefault(quantityCodec, 0),
  refill_quantity: orDefault(quantityCodec, 0),
  auto_refill_is_allowed: checkboxCodec,
  broken_pipes: checkboxCodec,
});

interface RefillDecision {
  request: Schemas['RefillRequest'];
  decision: 'complete' | 'reject';
}

/** Completes or rejects a refill request that the server has not sent to an external panel. */
async function decideRefillRequest(orderId: number, { request, decision }: RefillDecision, key: string) {
  const requestInit = { params: { path: { id: orderId, refill_request_id: request.id } }, ...withIdempotencyKey(key) };
  if (decision === 'complete') {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete', requestInit));
  } else {
    await unwrap(api.POST('/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject', requestInit));
  }
}

export function Refills({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const hasPermission = useHasPermission();
  const [isRequesting, setIsRequesting] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const [pendingDecision, setPendingDecision] = useState<RefillDecision>();
  const orderParams = { path: { id: order.id } };
  const { data: requests = [] } = useQuery({
    queryKey: ['orders', 'refills', order.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/orders/{id}/order-refill-requests', { params: orderParams }))).data,
  });
  const { data: autoRefill } = useQuery({
    queryKey: ['orders', 'auto-refill', order.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/orders/{id}/auto-refill-params', { params: orderParams }))).data,
  });
  return (
    <Card
      title={t('orders.refills.title')}
      headerActions={
        <>
          {autoRefill && hasPermission('write auto refill params') && (
            <Button icon="pencil" label={t('orders.refills.parameters')} onClick={() => setIsEditing(true)} />
          )}
          {order.actions.refillable && (
            <Button icon="replay" label={t('orders.refills.request')} onClick={() => setIsRequesting(true)} />
          )}
        </>
      }
    >
      <DescriptionList
        rows={[
          [
            t('orders.refills.firstCount'),
            order.refill.first && `${formatNumber(order.refill.first.quantity)} · ${order.refill.first.date}`,
          ],
          [
            t('orders.refills.lastCount'),
            order.refill.last && `${formatNumber(order.refill.last.quantity)} · ${order.refill.last.date}`,
          ],
          [t('orders.refills.source'), order.refill.source && t(`orders.refills.sources.${order.refill.source}`)],
          [t('orders.refills.droppedQuantity'), autoRefill && formatNumber(autoRefill.drop_quantity)],
          [
            t('orders.refills.refilledQuantity'),
            autoRefill && formatNumber(autoRefill.order_current_refilled_quantity),
          ],
          [t('orders.refills.nextQuantity'), autoRefill && formatNumber(autoRefill.refill_quantity)],
          [
            t('orders.refills.autoRefillAllowed'),
            autoRefill && <BooleanText key="on" value={autoRefill.auto_refill_is_allowed} />,
          ],
          [
            t('orders.refills.counterUnreliable'),
            autoRefill && <BooleanText key="on" value={autoRefill.broken_pipes} isWarning />,
          ],
          [t('orders.refills.sameLinkOrders'), autoRefill && formatNumber(autoRefill.orders_with_same_promotable)],
        ]}
      />
      <SimpleTable
        label={t('orders.refills.title')}
        rows={requests}
        getRowKey={(request) => request.id}
        emptyText={t('orders.refills.noRequests')}
        columns={[
          { title: t('orders.columns.createdAt'), renderCell: (request) => <DateTime time={request.created_at} /> },
          {
            title: t('orders.columns.quantity'),
            align: 'end',
            renderCell: (request) => formatNumber(request.quantity),
          },
          { title: t('orders.columns.status'), renderCell: (request) => <StatusTag status={request.status} /> },
          {
            title: t('payments.columns.admin'),
            renderCell: (request) => request.created_by?.name ?? t('orders.systemActor'),
          },
          { title: t('orders.refills.lastError'), renderCell: (request) => request.last_error ?? '' },
          {
            title: '',
            renderCell: (request) =>
              request.closable && (
                <>
                  <Button
                    label={t('orders.refills.complete')}
                    onClick={() => setPendingDecision({ request, decision: 'complete' })}
                  />
                  <Button
                    label={t('orders.refills.reject')}
                    onClick={() => setPendingDecision({ request, decision: 'reject' })}
                  />
                </>
              ),
          },
        ]}
      />
      {pendingDecision && (
        <FormDialog
          title={t(`orders.refills.${pendingDecision.decision}`)}
          note={
            <p>
              {t(`orders.refills.${pendingDecision.decision}Hint`, {
                quantity: formatNumber(pendingDecision.request.quantity),
              })}
            </p>
          }
          confirmLabel={t(`orders.refills.${pendingDecision.decision}`)}
          fields={[]}
          initialValues={{}}
          send={(_, key) => decideRefillRequest(order.id, pendingDecision, key)}
          invalidatedQueries={[['orders']]}
          onClose={() => setPendingDecision(undefined)}
        />
      )}
      {isEditing && autoRefill && (
        <AutoRefillForm
          id={order.id}
          params={autoRefill}
          onClose={() => setIsEditing(false)}
          onChanged={() => void queryClient.invalidateQueries({ queryKey: ['orders'] })}
        />
      )}
      {isRequesting && (
        <FormDialog
          title={t('orders.refills.request')}
          confirmLabel={t('orders.refills.request')}
          fields={[{ name: 'quantity', label: t('orders.columns.quantity') }]}
          spec={REFILL_REQUEST_FORM}
          initialValues={REFILL_REQUEST_FORM.toValues({ quantity: order.quantity })}
          send={({ values }, key) =>
            unwrap(
              api.POST('/api/v1/admin/orders/{id}/order-refill-requests', {
                params: orderParams,
                body: REFILL_REQUEST_FORM.toBody(values),
                ...withIdempotencyKey(key),
              }),
            )
          }
          invalidatedQueries={[['orders']]}
          onClose={() => setIsRequesting(false)}
        />
      )}
    </Card>
  );
}

interface AutoRefillFormProps {
  id: number;
  params: Schemas['AutoRefillParams'];
  onClose: () => void;
  onChanged: () => void;
}

function AutoRefillForm({ id, params, onClose, onChanged }: AutoRefillFormProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('orders.refills.parameters')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'drop_quantity', label: t('orders.refills.droppedQuantity') },
        { name: 'refill_quantity', label: t('orders.refills.nextQuantity') },
        { name: 'auto_refill_is_allowed', label: t('orders.refills.autoRefillAllowed') },
        { name: 'broken_pipes', label: t('orders.refills.counterUnreliable') },
      ]}
      spec={AUTO_REFILL_FORM}
      initialValues={AUTO_REFILL_FORM.toValues(params)}
      // Sends only changed fields: the server updates `drop_quantity` by itself, and the dialog must not overwrite it.
      send={({ values, base }) => {
        const body = AUTO_REFILL_FORM.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/orders/{id}/auto-refill-params', { params: { path: { id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
