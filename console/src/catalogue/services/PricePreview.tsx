// Shows the price that customers of each grade would pay for a quantity, with the prices in the form.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { orDefault } from '@/form/codec';
import { moneyCodec, quantityCodec } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import { defineForm, type FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatMoney, formatPercent } from '@/i18n/format';

const PREVIEW_FORM = defineForm<Schemas['PricePreviewInput']>()({
  default_price: orDefault(moneyCodec, ''),
  min_price: orDefault(moneyCodec, '0'),
  pricing_per: orDefault(quantityCodec, 0),
  quantity: orDefault(quantityCodec, 0),
});

export function PricePreview({ values, serviceId }: { values: FormValues; serviceId: number | null }) {
  const { t } = useTranslation();
  const [quantity, setQuantity] = useState('1000');
  const prices = PREVIEW_FORM.toBody({ ...values, quantity });
  const { result: gradePrices, problem } = useDryRun({
    queryKey: ['services', 'prices'],
    body: prices.default_price && quantity ? { ...prices, service_id: serviceId } : null,
    send: async (body, signal) =>
      (await unwrap(api.POST('/api/v1/admin/services/price-preview', { body, signal }))).data,
  });
  const discount = gradePrices?.[0]?.discount;
  return (
    <section className="card" aria-label={t('services.pricePreview.title')}>
      <div className="card-head">
        <h2>{t('services.pricePreview.title')}</h2>
        <label className="preview-quantity">
          {t('services.pricePreview.quantity')}
          <input
            className="input"
            inputMode="numeric"
            value={quantity}
            onChange={(event) => setQuantity(event.target.value)}
          />
        </label>
      </div>
      {!gradePrices && <p className="hint">{problem?.detail ?? t('services.pricePreview.incompleteInput')}</p>}
      {discount && (
        <p className="hint">
          {t('services.pricePreview.activeDiscount', {
            name: discount.name,
            percent: formatPercent(fractionToPercent(discount.discount_fraction)),
          })}
        </p>
      )}
      {gradePrices && (
        <table className="small">
          <thead>
            <tr>
              <th scope="col">{t('services.pricePreview.grade')}</th>
              <th scope="col" data-align="end">
                {t('services.pricePreview.discount')}
              </th>
              <th scope="col" data-align="end">
                {t('services.pricePreview.cost')}
              </th>
            </tr>
          </thead>
          <tbody>
            {gradePrices.map((gradePrice) => (
              <tr key={gradePrice.grade?.id ?? 0}>
                <td>{gradePrice.grade?.name ?? t('services.pricePreview.noGrade')}</td>
                <td data-align="end">{fractionToPercent(gradePrice.discount_fraction)} %</td>
                <td data-align="end">
                  {formatMoney(gradePrice.cost)}
                  {gradePrice.is_lowest && <small className="hint"> {t('services.pricePreview.isMinPrice')}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
