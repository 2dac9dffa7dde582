// One order with everything about it: where it stands, its money, its attempts at providers, and what can be done.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { RecordActions } from '@/table/RecordActions';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { ORDER_ACTIONS } from './actions';
import { CancelRequestsOf } from './CancelRequestsOf';
import { Delivery } from './Delivery';
import { Edits, RefillSwitches } from './Edits';
import { Family } from './Family';
import { Kinds } from './Kinds';
import { MoneyOfOrder } from './MoneyOfOrder';
import { OrderFacts } from './OrderFacts';
import { Promoted } from './Promoted';
import { Refills } from './Refills';

export default function OrderPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['orders', 'one', id],
    queryFn: () => unwrap(api.GET('/api/v1/admin/orders/{id}', { params: { path: { id } } })),
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/orders', text: t('orders.title') }}>
      {(detail) => <Shown detail={detail} />}
    </RecordPage>
  );
}

function Shown({ detail }: { detail: Schemas['OrderDetail'] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: order, links } = detail;
  const changed = () => void queries.invalidateQueries({ queryKey: ['orders'] });
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('orders.one', { id: order.id })}</h1>
        <CopyButton text={String(order.id)} />
        <StatusTag status={order.status} />
        {order.approval && <StatusTag status={order.approval} label={t(`orders.approval.${order.approval}`)} />}
        <Kinds row={order} own />
        <span className="grow" />
        <span className="row-buttons">
          <Neighbour id={links.next} icon="angle-left" text={t('orders.newer')} />
          <Neighbour id={links.previous} icon="angle-right" text={t('orders.older')} />
        </span>
      </div>
      <div className="record-actions">
        <RecordActions row={order} actions={ORDER_ACTIONS} onDone={changed} />
        {order.actions.editable && <Edits order={order} onChanged={changed} />}
        {order.actions.refill_switchable && <RefillSwitches order={order} onChanged={changed} />}
      </div>
      <div className="record-grid">
        <OrderFacts order={order} />
        <MoneyOfOrder order={order} />
        <Delivery order={order} />
        <CancelRequestsOf order={order} />
        <Refills order={order} />
        <Promoted order={order} />
        <Family order={order} />
      </div>
    </>
  );
}

function Neighbour({ id, icon, text }: { id: number | null | undefined; icon: string; text: string }) {
  if (!id) return null;
  return (
    <Link className="button button-plain neighbour" href={`/orders/${id}`} title={text}>
      <i className={`pi pi-${icon}`} aria-hidden />
      <span>{text}</span>
    </Link>
  );
}
