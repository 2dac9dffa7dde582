// The list of banner placements, each with its banner. A placement without a banner is shown as disabled.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { ProblemBar } from '@/ui/Notice';
import { Select } from '@/ui/Select';
import { StatusTag } from '@/ui/StatusTag';
import { isSlotEnabled, toBannerSlots, useBanners } from './calls';

const STATUS_FILTERS = ['all', 'active', 'disabled'] as const;
type StatusFilter = (typeof STATUS_FILTERS)[number];

export default function Banners() {
  const { t } = useTranslation();
  const query = useBanners();
  const [filter, setFilter] = useState<StatusFilter>('all');
  const slots = query.data ? toBannerSlots(query.data) : [];
  const filteredSlots = slots.filter((slot) => filter === 'all' || isSlotEnabled(slot) === (filter === 'active'));
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('banners.title')}</h1>
        <span className="grow" />
        <Select
          label={t('banners.placementFilter')}
          value={filter}
          options={STATUS_FILTERS.map((value) => ({ value, label: t(`banners.placementFilters.${value}`) }))}
          onChange={(value) => setFilter(value ?? 'all')}
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
              {filteredSlots.map((slot) => (
                <tr key={slot.place} data-place={slot.place}>
                  <td>
                    <Link href={`/banners/${slot.place}`}>{t(`banners.places.${slot.place}`)}</Link>
                  </td>
                  <td>{t(`banners.types.${slot.banner?.type ?? 'none'}`)}</td>
                  <td data-align="end">{formatNumber(slot.banner?.informations.length ?? 0)}</td>
                  <td data-align="end">{slot.banner ? formatNumber(slot.banner.scroll_delay) : '–'}</td>
                  <td>
                    <StatusTag status={isSlotEnabled(slot) ? 'active' : 'disabled'} />
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
