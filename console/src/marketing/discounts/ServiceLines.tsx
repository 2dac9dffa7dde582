// The services of a discount, each with what is taken off; what the server refuses stands at its service.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { Button } from '@/ui/Button';
import { fractionOf } from '@/ui/fraction';
import { Picker } from '@/ui/Picker';

type Named = Schemas['Named'];

/** Services on sale, from the list that is open to those who manage discounts. */
async function find(search: string): Promise<readonly Named[]> {
  return (await told(api.GET('/api/v1/admin/special-offers/services', { params: { query: { search } } }))).items;
}

export interface Line {
  id: number;
  name: string;
  percent: string;
}

export const linesOf = (value: string | undefined) => JSON.parse(value || '[]') as Line[];

/** As the wire has them. */
export const sentLines = (value: string) =>
  linesOf(value).map(({ id, percent }) => ({ id, discount_percent: fractionOf(percent) || '0' }));

interface Props {
  value: string;
  within: Readonly<Record<string, readonly string[]>>;
  onChange: (value: string) => void;
}

export function ServiceLines({ value, within, onChange }: Props) {
  const { t } = useTranslation();
  const lines = linesOf(value);
  const set = (lines: readonly Line[]) => onChange(JSON.stringify(lines));
  return (
    <fieldset className="part lines">
      <legend>{t('discounts.columns.services')}</legend>
      {lines.map((line, at) => {
        const wrong = Object.entries(within).flatMap(([name, all]) => (name.startsWith(`${at}.`) ? all : []));
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
              look="plain"
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
        shown={({ id, name }) => `${name} · ${id}`}
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
