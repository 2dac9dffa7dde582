// Banners: every place with what stands there; a place without a banner is switched off.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { ProblemBar } from '@/ui/Notice';
import { Select } from '@/ui/Select';
import { StatusTag } from '@/ui/StatusTag';
import { isOn, standsOf, useBanners } from './calls';

const SHOWN = ['all', 'active', 'disabled'] as const;
type Shown = (typeof SHOWN)[number];

export default function Banners() {
  const { t } = useTranslation();
  const query = useBanners();
  const [shown, setShown] = useState<Shown>('all');
  const stands = query.data ? standsOf(query.data) : [];
  const left = stands.filter((stand) => shown === 'all' || isOn(stand) === (shown === 'active'));
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('banners.title')}</h1>
        <span className="grow" />
        <Select
          label={t('banners.show')}
          value={shown}
          options={SHOWN.map((word) => ({ value: word, label: t(`banners.shown.${word}`) }))}
          onChange={(word) => setShown(word ?? 'all')}
        />
      </div>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && (
        <section className="card small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('banners.place')}</th>
                <th scope="col">{t('banners.type')}</th>
                <th scope="col" data-align="end">
                  {t('banners.slides')}
                </th>
                <th scope="col" data-align="end">
                  {t('banners.delay')}
                </th>
                <th scope="col">{t('services.columns.status')}</th>
              </tr>
            </thead>
            <tbody>
              {left.map((stand) => (
                <tr key={stand.place} data-place={stand.place}>
                  <td>
                    <Link href={`/banners/${stand.place}`}>{t(`banners.places.${stand.place}`)}</Link>
                  </td>
                  <td>{t(`banners.types.${stand.banner?.type ?? 'none'}`)}</td>
                  <td data-align="end">{formatNumber(stand.banner?.informations.length ?? 0)}</td>
                  <td data-align="end">{stand.banner ? formatNumber(stand.banner.scroll_delay) : '–'}</td>
                  <td>
                    <StatusTag status={isOn(stand) ? 'active' : 'disabled'} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}
