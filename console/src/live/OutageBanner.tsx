// Shows that the server's database is unavailable, polls until it is back, and refetches failed queries then. Forms are not
// remounted and keep their input.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { get } from '@/api/client';
import { reachability } from '@/api/reachability';

/** Poll interval; the server probes its database at the same interval. */
const POLL_MS = 2_000;

export function OutageBanner() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const isDatabaseUnavailable = useSyncExternalStore(reachability.subscribe, reachability.isDatabaseUnavailable);
  useEffect(() => {
    if (!isDatabaseUnavailable) return;
    // `api/client` updates `reachability` from the response.
    const timer = setInterval(() => void get('/readyz').catch(() => undefined), POLL_MS);
    return () => {
      clearInterval(timer);
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
    };
  }, [isDatabaseUnavailable, queries]);
  if (!isDatabaseUnavailable) return null;
  return (
    <div className="problem-bar" role="status">
      <i className="pi pi-database" aria-hidden />
      <span>{t('live.databaseAway')}</span>
    </div>
  );
}
