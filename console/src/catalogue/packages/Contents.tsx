// What is in a package: services in their order, how many of each, at which price, and what that comes to, as the
// server says it for what stands in the form.
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { errorsAt, type FieldErrors, NO_ERRORS } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useDryRun } from '@/form/useDryRun';
import { count, money } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { moved } from '@/ui/order';
import { ServicePickerOf } from '@/ui/ServicePicker';
import { SortableList } from '@/ui/SortableList';
import { findServices, type Service } from './calls';
import { dealOf, type Part, partsOf } from './values';

interface Props {
  values: FormValues;
  errors: FieldErrors;
  onChange: (value: string) => void;
}

function useCost(values: FormValues) {
  return useDryRun({
    queryKey: ['packages', 'cost'],
    body: partsOf(values).length > 0 ? dealOf(values) : null,
    send: async (body, signal) => (await unwrap(api.POST('/api/v1/admin/packages/total-cost', { body, signal }))).data,
  });
}

export function Contents({ values, errors, onChange }: Props) {
  const { t } = useTranslation();
  const parts = partsOf(values);
  const { answer: data, problem } = useCost(values);
  const live = problem?.fields ?? NO_ERRORS;
  const set = (parts: readonly Part[]) => onChange(JSON.stringify(parts));
  const change = (at: number, change: Partial<Part>) =>
    set(parts.map((part, place) => (place === at ? { ...part, ...change } : part)));
  const add = (service: Service | null) => {
    if (!service || parts.some(({ id }) => id === service.id)) return;
    set([...parts, { ...service, quantity: String(service.min_quantity), price: '', is_displayable: true }]);
  };
  const wrong = (at: number) => errorsAt({ ...live, ...errors }, `package_contents.${at}`) ?? [];
  return (
    <fieldset className="part">
      <legend>{t('packages.columns.services')}</legend>
      <SortableList
        label={t('packages.columns.services')}
        items={parts}
        onMove={(from, to) => set(moved(parts, from, to))}
        more={({ id, name }) => (
          <Button
            look="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
            onClick={() => set(parts.filter((part) => part.id !== id))}
          />
        )}
      />
      {parts.length > 0 && (
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
              {parts.map((part, at) => (
                <tr key={part.id} data-id={part.id}>
                  <td>
                    {part.name}
                    <small className="hint"> · {`${count(part.min_quantity)}–${count(part.max_quantity)}`}</small>
                    {wrong(at).length > 0 && <small className="field-error">{wrong(at).join(' ')}</small>}
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="numeric"
                      aria-label={`${t('packages.quantity')}: ${part.name}`}
                      value={part.quantity}
                      onChange={(event) => change(at, { quantity: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      className="input"
                      inputMode="decimal"
                      aria-label={`${t('packages.ownPrice')}: ${part.name}`}
                      placeholder={part.default_price}
                      value={part.price}
                      onChange={(event) => change(at, { price: event.target.value })}
                    />
                  </td>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${t('packages.shown')}: ${part.name}`}
                      checked={part.is_displayable}
                      onChange={(event) => change(at, { is_displayable: event.target.checked })}
                    />
                  </td>
                  <td data-align="end">
                    {money(data?.package_contents.find(({ id }) => id === part.id)?.cost ?? '0')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {/* Whoever manages packages need not see the list of services. */}
      <ServicePickerOf label={t('packages.addService')} value={null} onChange={add} find={findServices} />
      {errors.package_contents && <small className="field-error">{errors.package_contents.join(' ')}</small>}
    </fieldset>
  );
}

/** What customers pay and save; the server's own sums. */
export function Cost({ values }: { values: FormValues }) {
  const { t } = useTranslation();
  const { answer: data, problem } = useCost(values);
  if (partsOf(values).length === 0) return null;
  return (
    <section className="card" aria-label={t('packages.columns.totalCost')}>
      <dl className="totals" data-stale={problem ? '' : undefined}>
        <div>
          <dt>{t('packages.columns.defaultCost')}</dt>
          <dd>{data ? money(data.default_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.totalCost')}</dt>
          <dd>{data ? money(data.total_cost) : '–'}</dd>
        </div>
        <div>
          <dt>{t('packages.columns.difference')}</dt>
          <dd>{data ? money(data.difference) : '–'}</dd>
        </div>
        {data && Number(data.lowest_cost) > 0 && (
          <div>
            <dt>{t('packages.columns.lowestCost')}</dt>
            <dd>{money(data.lowest_cost)}</dd>
          </div>
        )}
      </dl>
      {data?.is_below_least_margin && (
        <small className="field-error" role="status">
          {t('packages.belowLeastMargin', { lowest: money(data.lowest_cost) })}
        </small>
      )}
      {problem && <small className="field-error">{problem.message}</small>}
    </section>
  );
}
