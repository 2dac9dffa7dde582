// The page of an external panel order, which is an attempt to place an order at an external panel. It shows the last request and
// response.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Problem } from '@/api/problem';
import { fetchPage } from '@/api/table';
import { formatNumber } from '@/i18n/format';
import { RecordActions } from '@/table/RecordActions';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { AttemptExchange } from './AttemptExchange';
import {
  ATTEMPT_ACTIONS,
  EXTERNAL_PANEL_ORDERS_PATH,
  type ExternalPanelOrder,
  ExternalStatusTag,
  formatCharge,
  formatExternalService,
} from './externalPanelOrderList';
import { UnknownResponse } from './UnknownResponse';

export default function ExternalPanelOrderPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['external-panel-orders', 'detail', id],
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: async ({ signal }) => {
      // The API has no endpoint for a single external panel order, only the list.
      const listQuery = { search: '', filters: { id: String(id) }, parameters: {}, sort: [] };
      const [attempt] = (await fetchPage<ExternalPanelOrder>(EXTERNAL_PANEL_ORDERS_PATH, listQuery, 0, 1, signal)).data;
      if (!attempt)
        throw new Problem({ status: 404, code: 'not_found', message: t('externalPanelOrders.notFound', { id }) });
      return attempt;
    },
  });
  return (
    <RecordPage query={query} backLink={{ href: '/external-panel-orders', text: t('externalPanelOrders.title') }}>
      {(attempt) => <AttemptDetails attempt={attempt} />}
    </RecordPage>
  );
}

function AttemptDetails({ attempt }: { attempt: ExternalPanelOrder }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('externalPanelOrders.pageTitle', { id: attempt.id })}</h1>
        <CopyButton text={String(attempt.id)} />
        <ExternalStatusTag status={attempt.status} />
        {attempt.is_stuck && <StatusTag status="failing" label={t('externalPanelOrders.needsAttention')} />}
      </div>
      <div className="record-actions">
        <RecordActions
          row={attempt}
          actions={ATTEMPT_ACTIONS}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['external-panel-orders'] })}
        />
      </div>
      <UnknownResponse attempt={attempt} />
      <div className="record-grid">
        <Card title={t('externalPanelOrders.atPanel')}>
          <DescriptionList
            rows={[
              [
                t('externalPanelOrders.columns.order'),
                <Link key="order" href={`/orders/${attempt.order.id}`}>
                  {attempt.order.id} · {attempt.order.name}
                </Link>,
              ],
              [t('externalPanelOrders.orderStatus'), <StatusTag key="status" status={attempt.order.status} />],
              [t('externalPanelOrders.columns.provider'), attempt.provider.name],
              [t('externalPanelOrders.columns.panel'), attempt.external_panel?.name],
              [t('externalPanelOrders.columns.externalService'), formatExternalService(attempt)],
              [t('externalPanelOrders.columns.externalId'), attempt.external_panel_order_id],
              [t('externalPanelOrders.columns.quantity'), formatNumber(attempt.initial_quantity)],
              [
                t('externalPanelOrders.columns.soldQuantity'),
                formatNumber(attempt.sold_quantity ?? attempt.initial_quantity),
              ],
              [t('externalPanelOrders.columns.remains'), attempt.remains],
              [t('orders.startCount'), attempt.start_count],
              [t('externalPanelOrders.columns.charge'), formatCharge(attempt, attempt.charge)],
              [t('externalPanelOrders.columns.initialCharge'), formatCharge(attempt, attempt.initial_charge)],
            ]}
          />
        </Card>
        <Card title={t('externalPanelOrders.times')}>
          <DescriptionList
            rows={[
              [t('externalPanelOrders.columns.createdAt'), <DateTime key="createdAt" time={attempt.created_at} />],
              [t('externalPanelOrders.columns.sentAt'), <DateTime key="sentAt" time={attempt.sent_at} />],
              [
                t('externalPanelOrders.columns.cancelRequested'),
                <DateTime key="cancelRequestedAt" time={attempt.cancel_requested_at} />,
              ],
              [t('externalPanelOrders.columns.alertAt'), <DateTime key="alertAt" time={attempt.alert_at} />],
              [t('externalPanelOrders.columns.endedAt'), <DateTime key="endedAt" time={attempt.ended_at} />],
            ]}
          />
        </Card>
        <Card title={t('externalPanelOrders.requestAndResponse')}>
          <AttemptExchange attempt={attempt} isExpanded />
        </Card>
      </div>
    </>
  );
}
