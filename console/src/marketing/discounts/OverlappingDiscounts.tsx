// Warns of other discounts on the same services in the same period. The server finds these discounts in a dry run of the save request.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptions, createWriteOptionsWithPath } from '@/api/writeOptions';
import { isChecked, parseRows } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatPercent } from '@/i18n/format';
import { DateTime } from '@/ui/DateTime';
import { SimpleTable } from '@/ui/SimpleTable';
import { DISCOUNT_FORM } from './discount';

/** Returns null until the discount has a service and a start, because the server needs both to find overlapping discounts. */
function buildDryRunBody(values: FormValues): Schemas['DiscountInput'] | null {
  if (parseRows(values.services).length === 0 || !values.valid_from) return null;
  return {
    ...DISCOUNT_FORM.toBody(values),
    name: values.name?.trim() || '–',
    is_countdown_enabled: Boolean(values.valid_to) && isChecked(values.is_countdown_enabled),
  };
}

export function OverlappingDiscounts({ id, values }: { id: number | null; values: FormValues }) {
  const { t } = useTranslation();
  const { result: overlaps } = useDryRun({
    queryKey: ['discounts', 'overlaps', id],
    body: buildDryRunBody(values),
    send: async (body, signal) => {
      const options = { dryRun: true, signal };
      const request =
        id === null
          ? api.POST('/api/v1/admin/discounts', { ...createWriteOptions(options), body })
          : api.PUT('/api/v1/admin/discounts/{id}', { ...createWriteOptionsWithPath({ id }, options), body });
      return (await unwrap(request)).data.overlaps;
    },
  });
  if (!overlaps) return <p className="hint">{t('discounts.overlaps.incompleteHint')}</p>;
  if (overlaps.length === 0) return <p className="hint">{t('discounts.overlaps.none')}</p>;
  return (
    <section className="notice-warning" aria-label={t('discounts.overlaps.title')} aria-live="polite">
      <p>{t('discounts.overlaps.warning')}</p>
      <SimpleTable
        label={t('discounts.overlaps.title')}
        rows={overlaps}
        getRowKey={(overlap) => `${overlap.discount.id}-${overlap.service.id}`}
        emptyText=""
        columns={[
          { title: t('discounts.overlaps.service'), renderCell: (overlap) => overlap.service.name },
          {
            title: t('discounts.overlaps.discount'),
            renderCell: (overlap) => `${overlap.discount.name} · ${overlap.discount.id}`,
          },
          {
            title: t('discounts.columns.percent'),
            align: 'end',
            renderCell: (overlap) => formatPercent(fractionToPercent(overlap.discount_fraction)),
          },
          { title: t('discounts.columns.end'), renderCell: (overlap) => <DateTime time={overlap.valid_to} /> },
          {
            title: t('discounts.overlaps.applied'),
            renderCell: (overlap) =>
              t(overlap.is_stronger ? 'discounts.overlaps.otherDiscount' : 'discounts.overlaps.thisDiscount'),
          },
        ]}
      />
    </section>
  );
}
