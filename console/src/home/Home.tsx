// The start screen: live counters and order statistics.

import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { useCounters } from '@/live/counters';
import { COUNTER_LINKS } from '@/live/links';
import { useHasPermission, useSession } from '@/session/hooks';

const Statistics = lazy(() => import('./Statistics'));

export default function Home() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const { profile } = useSession();
  const counters = useCounters();
  return (
    <div className="record">
      <h1 tabIndex={-1}>{t('home.greeting', { name: profile?.name })}</h1>
      <div className="counters">
        {COUNTER_LINKS.filter((link) => hasPermission(link.permission)).map((link) => (
          <Link key={link.name} href={link.href} className="counter">
            <i className={`pi pi-${link.icon}`} aria-hidden />
            <span>{t(`home.${link.name}`)}</span>
            <strong>{counters ? formatNumber(counters[link.name]) : '…'}</strong>
          </Link>
        ))}
      </div>
      {hasPermission('view orders') ? (
        <Suspense fallback={<p className="loading">{t('ui.loading')}</p>}>
          <Statistics />
        </Suspense>
      ) : (
        <p className="none">{t('home.choosePage')}</p>
      )}
    </div>
  );
}
