// The page of an external panel order: an attempt to place an order at an external panel, with the last request and response.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Problem } from '@/api/problem';
import { fetchPage } from '@/api/table';
import { formatNumber } from '@/i18n/format';
import { RecordActions } from '@/table/RecordActions';
import { Card, DescriptionList } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
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
} from './declaration';
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
      if (!attempt) throw new Problem({ status: 404, code: 'not_found', message: t('attempts.notFound', { id }) });
      return attempt;
    },
  });
  return (
    <RecordPage query={query} backLink={{ href: '/external-panel-orders', text: t('attempts.title') }}>
      {(attempt) => <AttemptDetails attempt={attempt} />}
    </RecordPage>
  );
}

function AttemptDetails({ attempt }: { attempt: ExternalPanelOrder }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('attempts.pageTitle', { id: attempt.id })}</h1>
        <CopyButton text={String(attempt.id)} />
        <ExternalStatusTag status={attempt.status} />
        {attempt.is_stuck && <StatusTag status="failing" label={t('attempts.needsAttention')} />}
      </div>
      <div className="record-actions">
        <RecordActions
          row={attempt}
          actions={ATTEMPT_ACTIONS}
          onDone={() => void queries.invalidateQueries({ queryKey: ['external-panel-orders'] })}
        />
      </div>
      <UnknownResponse attempt={attempt} />
      <div className="record-grid">
        <Card title={t('attempts.atPanel')}>
          <DescriptionList
            rows={[
              [
                t('attempts.columns.order'),
                <Link key="order" href={`/orders/${attempt.order.id}`}>
                  {attempt.order.id} · {attempt.order.name}
                </Link>,
              ],
              [t('attempts.orderStatus'), <StatusTag key="status" status={attempt.order.status} />],
              [t('attempts.columns.provider'), attempt.provider.name],
              [t('attempts.columns.panel'), attempt.external_panel?.name],
              [t('attempts.columns.externalService'), formatExternalService(attempt)],
              [t('attempts.columns.externalId'), attempt.external_panel_order_id],
              [t('attempts.columns.quantity'), formatNumber(attempt.initial_quantity)],
              [t('attempts.columns.soldQuantity'), formatNumber(attempt.sold_quantity ?? attempt.initial_quantity)],
              [t('attempts.columns.remains'), attempt.remains],
              [t('orders.startCount'), attempt.start_count],
              [t('attempts.columns.charge'), formatCharge(attempt, attempt.charge)],
              [t('attempts.columns.initialCharge'), formatCharge(attempt, attempt.initial_charge)],
            ]}
          />
        </Card>
        <Card title={t('attempts.times')}>
          <DescriptionList
            rows={[
              [t('attempts.columns.createdAt'), <DateTime key="createdAt" time={attempt.created_at} />],
              [t('attempts.columns.sentAt'), <DateTime key="sentAt" time={attempt.sent_at} />],
              [
                t('attempts.columns.cancelRequested'),
                <DateTime key="cancelRequestedAt" time={attempt.cancel_requested_at} />,
              ],
              [t('attempts.columns.alertAt'), <DateTime key="alertAt" time={attempt.alert_at} />],
              [t('attempts.columns.endedAt'), <DateTime key="endedAt" time={attempt.ended_at} />],
            ]}
          />
        </Card>
        <Card title={t('attempts.requestAndResponse')}>
          <AttemptExchange attempt={attempt} isExpanded />
        </Card>
      </div>
    </>
  );
}
