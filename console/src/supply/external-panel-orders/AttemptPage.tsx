// One order as it was placed at an external panel: what was asked, what was said, and placing it again.
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
import { ATTEMPT_ACTIONS, chargeOf, ExternalStatus, PATH, type Row, serviceThereOf } from './declaration';
import { Said } from './Said';
import { Unknown } from './Unknown';

export default function AttemptPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['external-panel-orders', 'one', id],
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = { search: '', filters: { id: String(id) }, parameters: {}, sort: [] };
      const [row] = (await fetchPage<Row>(PATH, asked, 0, 1, signal)).data;
      if (!row) throw new Problem({ status: 404, code: 'not_found', message: t('attempts.missing', { id }) });
      return row;
    },
  });
  return (
    <RecordPage query={query} list={{ href: '/external-panel-orders', text: t('attempts.title') }}>
      {(row) => <Shown row={row} />}
    </RecordPage>
  );
}

function Shown({ row }: { row: Row }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('attempts.one', { id: row.id })}</h1>
        <CopyButton text={String(row.id)} />
        <ExternalStatus status={row.status} />
        {row.is_stuck && <StatusTag status="failing" label={t('attempts.isStuck')} />}
      </div>
      <div className="record-actions">
        <RecordActions
          row={row}
          actions={ATTEMPT_ACTIONS}
          onDone={() => void queries.invalidateQueries({ queryKey: ['external-panel-orders'] })}
        />
      </div>
      <Unknown row={row} />
      <div className="record-grid">
        <Card title={t('attempts.facts')}>
          <DescriptionList
            rows={[
              [
                t('attempts.columns.order'),
                <Link key="order" href={`/orders/${row.order.id}`}>
                  {row.order.id} · {row.order.name}
                </Link>,
              ],
              [t('attempts.orderStatus'), <StatusTag key="status" status={row.order.status} />],
              [t('attempts.columns.provider'), row.provider.name],
              [t('attempts.columns.panel'), row.external_panel?.name],
              [t('attempts.columns.serviceThere'), serviceThereOf(row)],
              [t('attempts.columns.idThere'), row.external_panel_order_id],
              [t('attempts.columns.quantity'), formatNumber(row.initial_quantity)],
              [t('attempts.columns.sold'), formatNumber(row.sold_quantity ?? row.initial_quantity)],
              [t('attempts.columns.remains'), row.remains],
              [t('orders.startCount'), row.start_count],
              [t('attempts.columns.charge'), chargeOf(row, row.charge)],
              [t('attempts.columns.initialCharge'), chargeOf(row, row.initial_charge)],
            ]}
          />
        </Card>
        <Card title={t('attempts.times')}>
          <DescriptionList
            rows={[
              [t('attempts.columns.createdAt'), <DateTime key="made" at={row.created_at} />],
              [t('attempts.columns.sentAt'), <DateTime key="sent" at={row.sent_at} />],
              [t('attempts.columns.cancelAsked'), <DateTime key="asked" at={row.cancel_requested_at} />],
              [t('attempts.columns.alertAt'), <DateTime key="alert" at={row.alert_at} />],
              [t('attempts.columns.endedAt'), <DateTime key="ended" at={row.ended_at} />],
            ]}
          />
        </Card>
        <Card title={t('attempts.said')}>
          <Said attempt={row} open />
        </Card>
      </div>
    </>
  );
}
