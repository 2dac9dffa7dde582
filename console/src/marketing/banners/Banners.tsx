// The screen with the list of banner placements and their banners. A placement without a banner counts as disabled.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { ProblemBar } from '@/ui/Notice';
import { Select } from '@/ui/Select';
import { StatusTag } from '@/ui/StatusTag';
import { isPlacementEnabled, toBannerPlacements, useBanners } from './bannerPlacements';

const STATUS_FILTERS = ['all', 'active', 'disabled'] as const;
type StatusFilter = (typeof STATUS_FILTERS)[number];

export default function Banners() {
  const { t } = useTranslation();
  const query = useBanners();
  const [statusFilter, setStatusFilter] = useState<StatusFilter>('all');
  const placements = query.data ? toBannerPlacements(query.data) : [];
  const filteredPlacements = placements.filter(
    (placement) => statusFilter === 'all' || isPlacementEnabled(placement) === (statusFilter === 'active'),
  );
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('banners.title')}</h1>
        <span className="grow" />
        <Select
          label={t('banners.placementFilter')}
          value={statusFilter}
          options={STATUS_FILTERS.map((value) => ({ value, label: t(`banners.placementFilters.${value}`) }))}
          onChange={(value) => setStatusFilter(value ?? 'all')}
        />
      </div>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && (
        <section className="card small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('banners.placement')}</th>
                <th scope="col">{t('banners.type')}</th>
                <th scope="col" data-align="end">
                  {t('banners.slides')}
                </th>
                <th scope="col" data-align="end">
                  {t('banners.scrollDelay')}
                </th>
                <th scope="col">{t('services.columns.status')}</th>
              </tr>
            </thead>
            <tbody>
              {filteredPlacements.map((placement) => (
                <tr key={placement.place} data-place={placement.place}>
                  <td>
                    <Link href={`/banners/${placement.place}`}>{t(`banners.placements.${placement.place}`)}</Link>
                  </td>
                  <td>{t(`banners.types.${placement.banner?.type ?? 'none'}`)}</td>
                  <td data-align="end">{formatNumber(placement.banner?.informations.length ?? 0)}</td>
                  <td data-align="end">{placement.banner ? formatNumber(placement.banner.scroll_delay) : '–'}</td>
                  <td>
                    <StatusTag status={isPlacementEnabled(placement) ? 'active' : 'disabled'} />
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
