// The content that an order promotes, such as a live stream, and its number of viewers over time.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { ProblemBar } from '@/ui/Notice';

const PeriodChart = lazy(() => import('@/ui/PeriodChart').then(({ PeriodChart }) => ({ default: PeriodChart })));

export function PromotedContent({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const { promotable } = order;
  const query = useQuery({
    queryKey: ['orders', 'promotable', order.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/admin/orders/promotable-statistics', { params: { query: { order: order.id } } })),
  });
  const samples = query.data?.data ?? [];
  // The card is hidden if it would be empty: most orders promote content without viewer counts.
  if (samples.length === 0 && Object.values(promotable).every((value) => value === null || value === undefined))
    return null;
  return (
    <Card title={t('orders.promotedContent')}>
      <DescriptionList
        rows={[
          [t('orders.embedUrl'), promotable.embed_url],
          [
            t('orders.firstViewers'),
            promotable.first_statistic_viewers && formatNumber(promotable.first_statistic_viewers),
          ],
          [t('orders.averageViewers'), promotable.average_viewers && formatNumber(promotable.average_viewers)],
          [t('orders.supportPeriod'), promotable.supported_at && <SupportPeriod key="span" {...promotable} />],
          [t('orders.regionRestriction'), promotable.region_restriction],
        ]}
      />
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && samples.length === 0 && <p className="none">{t('orders.noViewerCounts')}</p>}
      {samples.length > 0 && (
        <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
          <PeriodChart
            label={t('orders.viewerCount')}
            xLabels={samples.map((sample) => sample.date.slice(0, 16))}
            lineSeries={{ label: t('orders.viewerCount'), values: samples.map((sample) => sample.viewers) }}
          />
        </Suspense>
      )}
    </Card>
  );
}

function SupportPeriod({ supported_at, supported_until }: Schemas['Promotable']) {
  return (
    <>
      <DateTime time={supported_at} /> – {supported_until ? <DateTime time={supported_until} /> : '…'}
    </>
  );
}
