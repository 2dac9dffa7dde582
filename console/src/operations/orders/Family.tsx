// How the orders beside this one went: those of its drip-feed, subscription or combo order, else those of its customer.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ids } from '@/api/table';
import { KINDS } from './Kinds';

const Statistics = lazy(() => import('@/home/Statistics'));

/** The newest of many; the statistics take no more at once. */
const MOST = 1_000;
const LIST = '/api/v1/admin/orders';

export function Family({ order }: { order: Schemas['Order'] }) {
  const { t } = useTranslation();
  const kind = KINDS.find((kind) => order[`${kind}_id`]) ?? 'user';
  const id = kind === 'user' ? order.user.id : (order[`${kind}_id`] ?? 0);
  const query = useQuery({
    queryKey: ['orders', 'family', kind, id],
    queryFn: async ({ signal }) => {
      const plain: Record<string, string> = kind === 'user' ? {} : { [`${kind}_id`]: String(id) };
      const filters: Record<string, string> = kind === 'user' ? { 'user.id': String(id) } : {};
      const asked = { search: '', filters, plain, sort: [] };
      return ids(LIST, asked, signal, MOST);
    },
  });
  if (!query.data?.length) return null;
  return (
    <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
      <Statistics title={t(`orders.statisticsOf.${kind}`)} orders={query.data} start="month" />
    </Suspense>
  );
}
