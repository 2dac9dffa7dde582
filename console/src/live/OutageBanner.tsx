// Says that the server's database is away, asks until it is back, and has what failed meanwhile read again. Forms keep what
// was typed: they are not touched.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { get } from '@/api/client';
import { reachability } from '@/api/reach';

/** Between two questions; the server probes its database as often. */
const ASK_MS = 2_000;

export function OutageBanner() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const isAway = useSyncExternalStore(reachability.subscribe, reachability.isDatabaseAway);
  useEffect(() => {
    if (!isAway) return;
    // What the answer says goes through `reachability`.
    const timer = setInterval(() => void get('/readyz').catch(() => undefined), ASK_MS);
    return () => {
      clearInterval(timer);
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
    };
  }, [isAway, queries]);
  if (!isAway) return null;
  return (
    <div className="problem-bar" role="status">
      <i className="pi pi-database" aria-hidden />
      <span>{t('live.databaseAway')}</span>
    </div>
  );
}
