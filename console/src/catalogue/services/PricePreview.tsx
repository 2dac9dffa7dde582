// Shows what customers of each grade would pay for a quantity with the prices in the form.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { orDefault } from '@/form/codec';
import { money as moneyCodec, quantity as quantityCodec } from '@/form/codecs';
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
  const { result: priceLines, problem } = useDryRun({
    queryKey: ['services', 'prices'],
    body: prices.default_price && quantity ? { ...prices, service_id: serviceId } : null,
    send: async (body, signal) =>
      (await unwrap(api.POST('/api/v1/admin/services/price-preview', { body, signal }))).data,
  });
  const discount = priceLines?.[0]?.discount;
  return (
    <section className="card" aria-label={t('services.preview.title')}>
      <div className="card-head">
        <h2>{t('services.preview.title')}</h2>
        <label className="preview-quantity">
          {t('services.preview.quantity')}
          <input
            className="input"
            inputMode="numeric"
            value={quantity}
            onChange={(event) => setQuantity(event.target.value)}
          />
        </label>
      </div>
      {!priceLines && <p className="hint">{problem?.detail ?? t('services.preview.nothing')}</p>}
      {discount && (
        <p className="hint">
          {t('services.preview.running', {
            name: discount.name,
            share: formatPercent(fractionToPercent(discount.discount_fraction)),
          })}
        </p>
      )}
      {priceLines && (
        <table className="small">
          <thead>
            <tr>
              <th scope="col">{t('services.preview.grade')}</th>
              <th scope="col" data-align="end">
                {t('services.preview.discount')}
              </th>
              <th scope="col" data-align="end">
                {t('services.preview.cost')}
              </th>
            </tr>
          </thead>
          <tbody>
            {priceLines.map((line) => (
              <tr key={line.grade?.id ?? 0}>
                <td>{line.grade?.name ?? t('services.preview.noGrade')}</td>
                <td data-align="end">{fractionToPercent(line.discount_fraction)} %</td>
                <td data-align="end">
                  {formatMoney(line.cost)}
                  {line.is_lowest && <small className="hint"> {t('services.preview.lowest')}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
