// What is known of the thing that an order promotes, and how many watched it.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count } from '@/i18n/format';
import { Facts, Panel } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { When } from '@/ui/When';

const PeriodChart = lazy(() => import('@/ui/PeriodChart').then(({ PeriodChart }) => ({ default: PeriodChart })));

export function Promoted({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const { promotable } = order;
  const query = useQuery({
    queryKey: ['orders', 'promotable', order.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/admin/orders/promotable-statistics', { params: { query: { order: order.id } } })),
  });
  const looks = query.data?.data ?? [];
  // Most orders promote nothing that can be watched.
  if (looks.length === 0 && Object.values(promotable).every((fact) => fact === null || fact === undefined)) return null;
  return (
    <Panel title={t('orders.promoted')}>
      <Facts
        rows={[
          [t('orders.embed'), promotable.embed_url],
          [t('orders.firstViewers'), promotable.first_statistic_viewers && count(promotable.first_statistic_viewers)],
          [t('orders.viewers'), promotable.average_viewers && count(promotable.average_viewers)],
          [t('orders.supported'), promotable.supported_at && <Span key="span" {...promotable} />],
          [t('orders.region'), promotable.region_restriction],
        ]}
      />
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && looks.length === 0 && <p className="none">{t('orders.notLookedAt')}</p>}
      {looks.length > 0 && (
        <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
          <PeriodChart
            label={t('orders.viewersSeen')}
            dates={looks.map((look) => look.date.slice(0, 16))}
            line={{ label: t('orders.viewersSeen'), values: looks.map((look) => look.viewers) }}
          />
        </Suspense>
      )}
    </Panel>
  );
}

function Span({ supported_at, supported_until }: Schemas['Promotable']) {
  return (
    <>
      <When at={supported_at} /> – {supported_until ? <When at={supported_until} /> : '…'}
    </>
  );
}
