// Other discounts on the same services at the same time, as the server finds them when the save is only tried.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { percent } from '@/i18n/format';
import { SmallTable } from '@/ui/Facts';
import { percentOf } from '@/ui/fraction';
import type { Values } from '@/ui/useForm';
import { When } from '@/ui/When';
import { asList, asTick, asTime } from '../calls';
import { linesOf, sentLines } from './ServiceLines';

/** Typing is tried after this pause. */
const PAUSE_MS = 500;
const DRY = { query: { dry_run: '1' } };

/** The whole discount, when enough is said to try it. */
function wanted(values: Readonly<Values>): Schemas['DiscountInput'] | null {
  const lines = linesOf(values.services);
  const fits = lines.every(
    ({ percent }) => /^\d{1,3}([.,]\d)?$/.test(percent.trim()) && Number.parseFloat(percent) > 0,
  );
  const from = asTime(values.valid_from ?? '');
  const to = asTime(values.valid_to ?? '');
  if (lines.length === 0 || !fits || !from || (to && to <= from)) return null;
  return {
    name: values.name?.trim() || '–',
    valid_from: from,
    valid_to: to,
    is_countdown_enabled: to !== null && asTick(values.is_countdown_enabled ?? ''),
    countries: asList(values.countries ?? ''),
    services: sentLines(values.services ?? ''),
  } as Schemas['DiscountInput'];
}

export function Overlaps({ id, values }: { id: number | null; values: Readonly<Values> }) {
  const { t } = useTranslation();
  const now = JSON.stringify(wanted(values));
  const [asked, setAsked] = useState(now);
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(now), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [now]);
  const { data } = useQuery({
    queryKey: ['discounts', 'overlaps', id, asked],
    enabled: asked !== 'null',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const body = JSON.parse(asked) as Schemas['DiscountInput'];
      const call =
        id === null
          ? api.POST('/api/v1/admin/discounts', { params: DRY, body })
          : api.PUT('/api/v1/admin/discounts/{id}', { params: { path: { id }, ...DRY }, body });
      return (await told(call)).data.overlaps;
    },
  });
  if (asked === 'null' || !data) return <p className="hint">{t('discounts.overlaps.ask')}</p>;
  if (data.length === 0) return <p className="hint">{t('discounts.overlaps.none')}</p>;
  return (
    <section className="notice-warning" aria-label={t('discounts.overlaps.title')} aria-live="polite">
      <p>{t('discounts.overlaps.some')}</p>
      <SmallTable
        label={t('discounts.overlaps.title')}
        rows={data}
        rowKey={(row) => `${row.discount.id}-${row.service.id}`}
        empty=""
        columns={[
          { title: t('discounts.overlaps.service'), cell: (row) => row.service.name },
          { title: t('discounts.overlaps.other'), cell: (row) => `${row.discount.name} · ${row.discount.id}` },
          {
            title: t('discounts.columns.percent'),
            align: 'end',
            cell: (row) => percent(percentOf(row.discount_percent)),
          },
          { title: t('discounts.columns.to'), cell: (row) => <When at={row.valid_to} /> },
          {
            title: t('discounts.overlaps.counts'),
            cell: (row) => t(row.is_stronger ? 'discounts.overlaps.theirs' : 'discounts.overlaps.ours'),
          },
        ]}
      />
    </section>
  );
}
