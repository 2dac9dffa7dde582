// Statistics of related orders: the orders of the same drip-feed, subscription or combo order. For an order without such an
// origin: the orders of the same customer.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchIds } from '@/api/table';
import { ORIGIN_KINDS } from './OrderOrigin';

const Statistics = lazy(() => import('@/home/Statistics'));

/** The statistics endpoint accepts at most this many ids, so only the newest orders are included. */
const MAX_ORDERS = 1_000;
const LIST_PATH = '/api/v1/admin/orders';

export function RelatedStatistics({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const kind = ORIGIN_KINDS.find((kind) => order[`${kind}_id`]) ?? 'user';
  const id = kind === 'user' ? order.user.id : (order[`${kind}_id`] ?? 0);
  const { data: orderIds } = useQuery({
    queryKey: ['orders', 'related', kind, id],
    queryFn: async ({ signal }) => {
      const parameters: Record<string, string> = kind === 'user' ? {} : { [`${kind}_id`]: String(id) };
      const filters: Record<string, string> = kind === 'user' ? { 'user.id': String(id) } : {};
      const query = { search: '', filters, parameters, sort: [] };
      return fetchIds(LIST_PATH, query, signal, MAX_ORDERS);
    },
  });
  if (!orderIds?.length) return null;
  return (
    <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
      <Statistics title={t(`orders.statisticsOf.${kind}`)} orders={orderIds} initialGrouping="month" />
    </Suspense>
  );
}
