// The statistics of related orders: the orders of the same drip-feed, subscription or combo order, or the orders of the same
// customer if the order has no such origin.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchIds } from '@/api/table';
import { ORIGIN_KINDS } from './OrderOrigin';

const Statistics = lazy(() => import('@/home/Statistics'));

/** The statistics endpoint accepts at most this many ids, so only the newest orders are included. */
const MAX_ORDERS = 1_000;
const ORDERS_PATH = '/api/v1/admin/orders';

export function RelatedStatistics({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const originKind = ORIGIN_KINDS.find((kind) => order[`${kind}_id`]) ?? 'user';
  const id = originKind === 'user' ? order.user.id : (order[`${originKind}_id`] ?? 0);
  const { data: orderIds } = useQuery({
    queryKey: ['orders', 'related', originKind, id],
    queryFn: async ({ signal }) => {
      const parameters: Record<string, string> = originKind === 'user' ? {} : { [`${originKind}_id`]: String(id) };
      const filters: Record<string, string> = originKind === 'user' ? { 'user.id': String(id) } : {};
      const query = { search: '', filters, parameters, sort: [] };
      return fetchIds(ORDERS_PATH, query, signal, MAX_ORDERS);
    },
  });
  if (!orderIds?.length) return null;
  return (
    <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
      <Statistics title={t(`orders.statisticsOf.${originKind}`)} orders={orderIds} initialGrouping="month" />
    </Suspense>
  );
}
