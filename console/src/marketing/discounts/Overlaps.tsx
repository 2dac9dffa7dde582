// Other discounts on the same services at the same time, as the server finds them when the save is only tried.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { writeInit, writeInitAt } from '@/api/writeOptions';
import { isChecked, parseRows } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatPercent } from '@/i18n/format';
import { SmallTable } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { DISCOUNT } from './discount';

/** The whole discount, once it has a service and a begin. */
function bodyOf(values: FormValues): Schemas['DiscountInput'] | null {
  if (parseRows(values.services).length === 0 || !values.valid_from) return null;
  return {
    ...DISCOUNT.toBody(values),
    name: values.name?.trim() || '–',
    is_countdown_enabled: Boolean(values.valid_to) && isChecked(values.is_countdown_enabled),
  };
}

export function Overlaps({ id, values }: { id: number | null; values: FormValues }) {
  const { t } = useTranslation();
  const { answer: data } = useDryRun({
    queryKey: ['discounts', 'overlaps', id],
    body: bodyOf(values),
    send: async (body, signal) => {
      const how = { dryRun: true, signal };
      const call =
        id === null
          ? api.POST('/api/v1/admin/discounts', { ...writeInit(how), body })
          : api.PUT('/api/v1/admin/discounts/{id}', { ...writeInitAt({ id }, how), body });
      return (await unwrap(call)).data.overlaps;
    },
  });
  if (!data) return <p className="hint">{t('discounts.overlaps.ask')}</p>;
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
            cell: (row) => formatPercent(fractionToPercent(row.discount_percent)),
          },
          { title: t('discounts.columns.to'), cell: (row) => <DateTime at={row.valid_to} /> },
          {
            title: t('discounts.overlaps.counts'),
            cell: (row) => t(row.is_stronger ? 'discounts.overlaps.theirs' : 'discounts.overlaps.ours'),
          },
        ]}
      />
    </section>
  );
}
