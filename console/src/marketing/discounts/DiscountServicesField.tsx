// The form field for the services of a discount and their percentages. It shows the server's errors next to the service.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { parseRows } from '@/form/codecs';
import { collectFieldErrors, type FieldErrors } from '@/form/problems';
import { Button } from '@/ui/Button';
import { Picker } from '@/ui/Picker';
import type { DiscountLine } from './discount';

type NamedService = Schemas['NamedRef'];

/** Searches the services on sale. The endpoint requires only the permission to manage discounts. */
async function searchServices(search: string): Promise<readonly NamedService[]> {
  return (await unwrap(api.GET('/api/v1/admin/special-offers/services', { params: { query: { search } } }))).items;
}

interface Props {
  /** The services and percentages as JSON. */
  value: string;
  /** Errors by the index of the service and the field, such as `3.discount_fraction`. */
  innerErrors: FieldErrors;
  onChange: (value: string) => void;
}

export function DiscountServicesField({ value, innerErrors, onChange }: Props) {
  const { t } = useTranslation();
  const lines = parseRows<DiscountLine>(value);
  const setLines = (lines: readonly DiscountLine[]) => onChange(JSON.stringify(lines));
  return (
    <fieldset className="part lines">
      <legend>{t('discounts.columns.services')}</legend>
      {lines.map((line, index) => {
        const errors = collectFieldErrors(innerErrors, String(index)) ?? [];
        return (
          <div key={line.id} className="line" data-id={line.id}>
            <span className="line-name">
              {line.name} <small className="none">{line.id}</small>
            </span>
            <label className="line-percent">
              <input
                className="input"
                inputMode="decimal"
                aria-label={t('discounts.percentOf', { name: line.name })}
                aria-invalid={errors.length > 0 || undefined}
                value={line.percent}
                onChange={(event) =>
                  setLines(
                    lines.map((otherLine) =>
                      otherLine === line ? { ...line, percent: event.target.value } : otherLine,
                    ),
                  )
                }
              />
              %
            </label>
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('discounts.remove', { name: line.name })}
              onClick={() => setLines(lines.filter((otherLine) => otherLine !== line))}
            />
            {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
          </div>
        );
      })}
      <Picker
        label={t('discounts.addService')}
        value={null as NamedService | null}
        search={searchServices}
        formatLabel={({ id, name }) => `${name} · ${id}`}
        placeholder={t('services.searchPlaceholder')}
        emptyText={t('services.noMatches')}
        onChange={(service) => {
          if (!service || lines.some(({ id }) => id === service.id)) return;
          // A new line starts with the percentage of the last line, because most discounts have one percentage for all services.
          setLines([...lines, { id: service.id, name: service.name, percent: lines.at(-1)?.percent ?? '' }]);
        }}
      />
    </fieldset>
  );
}
