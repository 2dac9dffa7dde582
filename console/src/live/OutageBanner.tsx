// The banner that the database of the server is unavailable. While it is shown, the console polls the server. When the database is
// available again, it refetches the failed queries. Forms stay mounted and keep their input.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { get } from '@/api/client';
import { reachability } from '@/api/reachability';

/** The server checks its database at the same interval. */
const POLL_INTERVAL_MS = 2_000;

export function OutageBanner() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isDatabaseUnavailable = useSyncExternalStore(reachability.subscribe, reachability.isDatabaseUnavailable);
  useEffect(() => {
    if (!isDatabaseUnavailable) return;
    // `api/client` updates `reachability` from the response.
    const timer = setInterval(() => void get('/readyz').catch(() => undefined), POLL_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      void queryClient.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
    };
  }, [isDatabaseUnavailable, queryClient]);
  if (!isDatabaseUnavailable) return null;
  return (
    <div className="problem-bar" role="status">
      <i className="pi pi-database" aria-hidden />
      <span>{t('live.databaseUnreachable')}</span>
    </div>
  );
}
