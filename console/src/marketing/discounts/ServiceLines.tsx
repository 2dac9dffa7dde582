// The services of a discount, each with what is taken off; what the server refuses stands at its service.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { parseRows } from '@/form/codecs';
import { errorsAt, type FieldErrors } from '@/form/problems';
import { Button } from '@/ui/Button';
import { Picker } from '@/ui/Picker';
import type { Line } from './discount';

type Named = Schemas['Named'];

/** Services on sale, from the list that is open to those who manage discounts. */
async function find(search: string): Promise<readonly Named[]> {
  return (await unwrap(api.GET('/api/v1/admin/special-offers/services', { params: { query: { search } } }))).items;
}

interface Props {
  value: string;
  within: FieldErrors;
  onChange: (value: string) => void;
}

export function ServiceLines({ value, within, onChange }: Props) {
  const { t } = useTranslation();
  const lines = parseRows<Line>(value);
  const set = (lines: readonly Line[]) => onChange(JSON.stringify(lines));
  return (
    <fieldset className="part lines">
      <legend>{t('discounts.columns.services')}</legend>
      {lines.map((line, at) => {
        const wrong = errorsAt(within, String(at)) ?? [];
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
                aria-invalid={wrong.length > 0 || undefined}
                value={line.percent}
                onChange={(event) =>
                  set(lines.map((one) => (one.id === line.id ? { ...one, percent: event.target.value } : one)))
                }
              />
              %
            </label>
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('discounts.remove', { name: line.name })}
              onClick={() => set(lines.filter((one) => one.id !== line.id))}
            />
            {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
          </div>
        );
      })}
      <Picker
        label={t('discounts.addService')}
        value={null as Named | null}
        find={find}
        labelOf={({ id, name }) => `${name} · ${id}`}
        placeholder={t('services.find')}
        empty={t('services.noHit')}
        onChange={(hit) => {
          if (!hit || lines.some((line) => line.id === hit.id)) return;
          set([...lines, { id: hit.id, name: hit.name, percent: lines.at(-1)?.percent ?? '' }]);
        }}
      />
    </fieldset>
  );
}
