// The contents of a package: its services in their order, each with quantity and price, and the costs that the server
// calculates for the values in the form.
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { errorsAt, type FieldErrors, NO_ERRORS } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatMoney, formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { moveItem } from '@/ui/order';
import { ServicePickerOf } from '@/ui/ServicePicker';
import { SortableList } from '@/ui/SortableList';
import { findServices, type Service } from './calls';
import { contentsOf, costInputOf, type PackageContent } from './values';

interface Props {
  values: FormValues;
  errors: FieldErrors;
  onChange: (value: string) => void;
}

function useCost(values: FormValues) {
  return useDryRun({
    queryKey: ['packages', 'cost'],
    body: contentsOf(values).length > 0 ? costInputOf(values) : null,
    send: async (body, signal) => (await unwrap(api.POST('/api/v1/admin/packages/total-cost', { body, signal }))).data,
  });
}

export function Contents({ values, errors, onChange }: Props) {
  const { t } = useTranslation();
  const contents = contentsOf(values);
  const { answer: data, problem } = useCost(values);
  const previewErrors = problem?.fields ?? NO_ERRORS;
  const set = (contents: readonly PackageContent[]) => onChange(JSON.stringify(contents));
  const change = (index: number, change: Partial<PackageContent>) =>
    set(contents.map((content, position) => (position === index ? { ...content, ...change } : content)));
  const add = (service: Service | null) => {
    if (!service || contents.some(({ id }) => id === service.id)) return;
    set([...contents, { ...service, quantity: String(service.min_quantity), price: '', is_displayable: true }]);
  };
  const messagesAt = (index: number) => errorsAt({ ...previewErrors, ...errors }, `package_contents.${index}`) ?? [];
  return (
    <fieldset className="part">
      <legend>{t('packages.columns.services')}</legend>
      <SortableList
        label={t('packages.columns.services')}
        items={contents}
        onMove={(from, to) => set(moveItem(contents, from, to))}
        renderExtra={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
            onClick={() => set(contents.filter((content) => content.id !== id))}
          />
        )}
      />
      {contents.length > 0 && (
        <div className="small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('packages.columns.name')}</th>
                <th scope="col">{t('packages.quantity')}</th>
                <th scope="col">{t('packages.ownPrice')}</th>
                <th scope="col">{t('packages.shown')}</th>
                <th scope="col" data-align="end">
                  {t('packages.columns.totalCost')}
                </th>
              </tr>
            </thead>
            <tbody>
              {contents.map((content, index) => (
                <tr key={content.id} data-id={content.id}>
                  <td>
                    {content.name}
                    <small className="hint">
                      {` · ${formatNumber(content.min_quantity)}–${formatNumber(content.max_quantity)}`}
                    </small>
                    {messagesAt(index).length > 0 && (
                      <small className="field-error">{messagesAt(index).join(' ')}</small>
                    )}
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="numeric"
                      aria-label={`${t('packages.quantity')}: ${content.name}`}
                      value={content.quantity}
                      onChange={(event) => change(index, { quantity: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="decimal"
                      aria-label={`${t('packages.ownPrice')}: ${content.name}`}
                      placeholder={content.default_price}
                      value={content.price}
                      onChange={(event) => change(index, { price: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${t('packages.shown')}: ${content.name}`}
                      checked={content.is_displayable}
                      onChange={(event) => change(index, { is_displayable: event.target.checked })}
                    />
                  </td>
                  <td data-align="end">
                    {formatMoney(data?.package_contents.find(({ id }) => id === content.id)?.cost ?? '0')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {/* A staff member with `manage packages` may lack `view services`, so the picker has an endpoint of its own. */}
      <ServicePickerOf label={t('packages.addService')} value={null} onChange={add} find={findServices} />
      {errors.package_contents && <small className="field-error">{errors.package_contents.join(' ')}</small>}
    </fieldset>
  );
}

/** The cost for customers and their savings, as the server calculates them. */
export function CostSummary({ values }: { values: FormValues }) {
  const { t } = useTranslation();
  const { answer: data, problem } = useCost(values);
  if (contentsOf(values).length === 0) return null;
  return (
    <section className="card" aria-label={t('packages.columns.totalCost')}>
      <dl className="totals" data-stale={problem ? '' : undefined}>
        <div>
          <dt>{t('packages.columns.defaultCost')}</dt>
          <dd>{data ? formatMoney(data.default_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.totalCost')}</dt>
          <dd>{data ? formatMoney(data.total_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.difference')}</dt>
          <dd>{data ? formatMoney(data.difference) : '–'}</dd>
        </div>
        {data && Number(data.lowest_cost) > 0 && (
          <div>
            <dt>{t('packages.columns.lowestCost')}</dt>
            <dd>{formatMoney(data.lowest_cost)}</dd>
          </div>
        )}
      </dl>
      {data?.is_below_least_margin && (
        <small className="field-error" role="status">
          {t('packages.belowLeastMargin', { lowest: formatMoney(data.lowest_cost) })}
        </small>
      )}
      {problem && <small className="field-error">{problem.message}</small>}
    </section>
  );
}
