// What a quantity costs customers of each grade, at the prices as they stand in the form.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';
import { money, percent } from '@/i18n/format';
import { percentOf } from '@/ui/fraction';
import type { Values } from './fields';

const isMoney = (text: string) => /^\d+(\.\d{1,6})?$/.test(text);

export function Preview({ values, service }: { values: Values; service: number | null }) {
  const { t } = useTranslation();
  const [quantity, setQuantity] = useState('1000');
  const wanted = useDeferredValue({
    default_price: (values.default_price ?? '').trim().replace(',', '.'),
    min_price: (values.min_price ?? '').trim().replace(',', '.') || '0',
    pricing_per: Number(values.pricing_per),
    quantity: Number(quantity),
    ...(service === null ? {} : { service_id: service }),
  });
  const fits =
    isMoney(wanted.default_price) && isMoney(wanted.min_price) && wanted.pricing_per >= 1 && wanted.quantity >= 1;
  const { data } = useQuery({
    queryKey: ['services', 'prices', wanted],
    enabled: fits,
    placeholderData: keepPreviousData,
    queryFn: async () => (await told(api.POST('/api/v1/admin/services/price-preview', { body: wanted }))).data,
  });
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
      {!fits && <p className="hint">{t('services.preview.nothing')}</p>}
      {fits && data?.[0]?.discount && (
        <p className="hint">
          {t('services.preview.running', {
            name: data[0].discount.name,
            share: percent(percentOf(data[0].discount.discount_percent)),
          })}
        </p>
      )}
      {fits && data && (
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
            {data.map((line) => (
              <tr key={line.grade?.id ?? 0}>
                <td>{line.grade?.name ?? t('services.preview.noGrade')}</td>
                <td data-align="end">{percentOf(line.discount_percent)} %</td>
                <td data-align="end">
                  {money(line.cost)}
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
