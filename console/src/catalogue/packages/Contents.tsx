// The fields for the contents of a package: the services in their order, each with a quantity and a price. The server calculates
// the costs for the values in the form.
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { errorsAt, type FieldErrors, NO_ERRORS } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { formatMoney, formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CustomServicePicker } from '@/ui/ServicePicker';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import { type Service, searchServices } from './calls';
import { contentsOf, costInputOf, type PackageContent } from './values';

interface Props {
  values: FormValues;
  errors: FieldErrors;
  onChange: (value: string) => void;
}

function useCalculatedCost(values: FormValues) {
  return useDryRun({
    queryKey: ['packages', 'cost'],
    body: contentsOf(values).length > 0 ? costInputOf(values) : null,
    send: async (body, signal) => (await unwrap(api.POST('/api/v1/admin/packages/total-cost', { body, signal }))).data,
  });
}

export function Contents({ values, errors, onChange }: Props) {
  const { t } = useTranslation();
  const contents = contentsOf(values);
  const { result: cost, problem } = useCalculatedCost(values);
  const previewErrors = problem?.fields ?? NO_ERRORS;
  const setContents = (contents: readonly PackageContent[]) => onChange(JSON.stringify(contents));
  const changeContent = (changedIndex: number, changes: Partial<PackageContent>) =>
    setContents(contents.map((content, index) => (index === changedIndex ? { ...content, ...changes } : content)));
  const addService = (service: Service | null) => {
    if (!service || contents.some(({ id }) => id === service.id)) return;
    setContents([...contents, { ...service, quantity: String(service.min_quantity), price: '', is_displayable: true }]);
  };
  const messagesAt = (index: number) => errorsAt({ ...previewErrors, ...errors }, `package_contents.${index}`) ?? [];
  return (
    <fieldset className="part">
      <legend>{t('packages.columns.services')}</legend>
      <SortableList
        label={t('packages.columns.services')}
        items={contents}
        onMove={(fromIndex, toIndex) => setContents(moveItem(contents, fromIndex, toIndex))}
        renderExtra={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
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
                      onChange={(event) => changeContent(index, { quantity: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="decimal"
                      aria-label={`${t('packages.ownPrice')}: ${content.name}`}
                      placeholder={content.default_price}
                      value={content.price}
                      onChange={(event) => changeContent(index, { price: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${t('packages.shown')}: ${content.name}`}
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
      {/* A staff member with `manage packages` may lack `view services`, so the picker has an endpoint of its own. */}
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

/** The cost for customers and their savings, as the server calculates them. */
export function CostSummary({ values }: { values: FormValues }) {
  const { t } = useTranslation();
  const { result: cost, problem } = useCalculatedCost(values);
  if (contentsOf(values).length === 0) return null;
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
          {t('packages.belowLeastMargin', { lowest: formatMoney(cost.lowest_cost) })}
        </small>
      )}
      {problem && <small className="field-error">{problem.message}</small>}
    </section>
  );
}
