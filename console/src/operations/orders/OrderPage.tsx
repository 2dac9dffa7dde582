// The page of one order: status, actions, money, delivery, refills and statistics.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { RecordActions } from '@/table/RecordActions';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { ORDER_ACTIONS } from './actions';
import { Delivery } from './Delivery';
import { EditButtons, RefillSwitches } from './EditButtons';
import { OrderCancelRequests } from './OrderCancelRequests';
import { OrderDetails } from './OrderDetails';
import { OrderMoney } from './OrderMoney';
import { OrderOrigin } from './OrderOrigin';
import { PromotedContent } from './PromotedContent';
import { Refills } from './Refills';
import { RelatedStatistics } from './RelatedStatistics';

export default function OrderPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['orders', 'detail', id],
    queryFn: () => unwrap(api.GET('/api/v1/admin/orders/{id}', { params: { path: { id } } })),
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/orders', text: t('orders.title') }}>
      {(response) => <OrderView response={response} />}
    </RecordPage>
  );
}

function OrderView({ response }: { response: Schemas['OrderDetail'] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: order, links } = response;
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['orders'] });
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('orders.pageTitle', { id: order.id })}</h1>
        <CopyButton text={String(order.id)} />
        <StatusTag status={order.status} />
        {order.approval && <StatusTag status={order.approval} label={t(`orders.approval.${order.approval}`)} />}
        <OrderOrigin row={order} linkToOrigin />
        <span className="grow" />
        <span className="row-buttons">
          <NeighborLink id={links.next} icon="angle-left" text={t('orders.newerOrder')} />
          <NeighborLink id={links.previous} icon="angle-right" text={t('orders.olderOrder')} />
        </span>
      </div>
      <div className="record-actions">
        <RecordActions row={order} actions={ORDER_ACTIONS} onDone={refresh} />
        {order.actions.editable && <EditButtons order={order} onChanged={refresh} />}
        {order.actions.refill_switchable && <RefillSwitches order={order} onChanged={refresh} />}
      </div>
      <div className="record-grid">
        <OrderDetails order={order} />
        <OrderMoney order={order} />
        <Delivery order={order} />
        <OrderCancelRequests order={order} />
        <Refills order={order} />
        <PromotedContent order={order} />
        <RelatedStatistics order={order} />
      </div>
    </>
  );
}

function NeighborLink({ id, icon, text }: { id: number | null | undefined; icon: string; text: string }) {
  if (!id) return null;
  return (
    <Link className="button button-plain neighbour" href={`/orders/${id}`} title={text}>
      <i className={`pi pi-${icon}`} aria-hidden />
      <span>{text}</span>
    </Link>
  );
}
