// The form field for the contents of a package: a sorted list of services, each with a quantity and a price. The server calculates
// the costs for the values in the form.
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { collectFieldErrors, type FieldErrors, NO_ERRORS } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatMoney, formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CustomServicePicker } from '@/ui/ServicePicker';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import { type Service, searchServices } from './requests';
import { buildCostBody, type PackageContent, parseContents } from './values';

interface Props {
  values: FormValues;
  errors: FieldErrors;
  onChange: (value: string) => void;
}

function useCostPreview(values: FormValues) {
  return useDryRun({
    queryKey: ['packages', 'cost'],
    body: parseContents(values).length > 0 ? buildCostBody(values) : null,
    send: async (body, signal) => (await unwrap(api.POST('/api/v1/admin/packages/total-cost', { body, signal }))).data,
  });
}

export function ContentsField({ values, errors, onChange }: Props) {
  const { t } = useTranslation();
  const contents = parseContents(values);
  const { result: cost, problem } = useCostPreview(values);
  const previewErrors = problem?.fields ?? NO_ERRORS;
  const setContents = (contents: readonly PackageContent[]) => onChange(JSON.stringify(contents));
  const changeContent = (changedIndex: number, changes: Partial<PackageContent>) =>
    setContents(contents.map((content, index) => (index === changedIndex ? { ...content, ...changes } : content)));
  const addService = (service: Service | null) => {
    if (!service || contents.some(({ id }) => id === service.id)) return;
    setContents([...contents, { ...service, quantity: String(service.min_quantity), price: '', is_displayable: true }]);
  };
  const getContentErrors = (index: number) =>
    collectFieldErrors({ ...previewErrors, ...errors }, `package_contents.${index}`) ?? [];
  return (
    <fieldset className="part">
      <legend>{t('packages.columns.services')}</legend>
      <SortableList
        label={t('packages.columns.services')}
        items={contents}
        onMove={(fromIndex, toIndex) => setContents(moveItem(contents, fromIndex, toIndex))}
        renderAfterName={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('ui.removeNamed', { name })}
            onClick={() => setContents(contents.filter((content) => content.id !== id))}
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
                <th scope="col">{t('packages.priceInPackage')}</th>
                <th scope="col">{t('packages.isVisible')}</th>
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
                    {getContentErrors(index).length > 0 && (
                      <small className="field-error">{getContentErrors(index).join(' ')}</small>
                    )}
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="numeric"
                      aria-label={`${t('packages.quantity')}: ${content.name}`}
                      value={content.quantity}
                      onChange={(event) => changeContent(index, { quantity: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="decimal"
                      aria-label={`${t('packages.priceInPackage')}: ${content.name}`}
                      placeholder={content.default_price}
                      value={content.price}
                      onChange={(event) => changeContent(index, { price: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${t('packages.isVisible')}: ${content.name}`}
                      checked={content.is_displayable}
                      onChange={(event) => changeContent(index, { is_displayable: event.target.checked })}
                    />
                  </td>
                  <td data-align="end">
                    {formatMoney(cost?.package_contents.find(({ id }) => id === content.id)?.cost ?? '0')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {/* Staff who may manage packages do not always have the permission `view services`, so the picker uses its own endpoint. */}
      <CustomServicePicker
        label={t('packages.addService')}
        value={null}
        onChange={addService}
        search={searchServices}
      />
      {errors.package_contents && <small className="field-error">{errors.package_contents.join(' ')}</small>}
    </fieldset>
  );
}

/** Shows the cost for customers and their savings. The server calculates both. */
export function CostSummary({ values }: { values: FormValues }) {
  const { t } = useTranslation();
  const { result: cost, problem } = useCostPreview(values);
  if (parseContents(values).length === 0) return null;
  return (
    <section className="card" aria-label={t('packages.columns.totalCost')}>
      <dl className="totals" data-stale={problem ? '' : undefined}>
        <div>
          <dt>{t('packages.columns.defaultCost')}</dt>
          <dd>{cost ? formatMoney(cost.default_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.totalCost')}</dt>
          <dd>{cost ? formatMoney(cost.total_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.difference')}</dt>
          <dd>{cost ? formatMoney(cost.difference) : '–'}</dd>
        </div>
        {cost && Number(cost.lowest_cost) > 0 && (
          <div>
            <dt>{t('packages.columns.lowestCost')}</dt>
            <dd>{formatMoney(cost.lowest_cost)}</dd>
          </div>
        )}
      </dl>
      {cost?.is_below_minimum_margin && (
        <small className="field-error" role="status">
          {t('packages.belowMinCost', { minCost: formatMoney(cost.lowest_cost) })}
        </small>
      )}
      {problem && <small className="field-error">{problem.message}</small>}
    </section>
  );
}
