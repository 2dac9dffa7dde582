// What changes about many packages: a discount or a cost for each, and switches that stay, go on, or go off.
import { useTranslation } from 'react-i18next';
import { errorsOfEach, type FormProps } from '@/table/action';
import { Field } from '@/ui/Field';
import { Select } from '@/ui/Select';
import type { Row } from './calls';

const NUMBERS = ['discount_percent', 'fixed_cost'] as const;
const SWITCHES = ['is_enabled', 'restricted_access', 'sync'] as const;

export function BulkForm({ value, onChange, errors }: FormProps<Row>) {
  const { t } = useTranslation();
  const set = (name: string, to: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(to === undefined ? rest : { ...rest, [name]: to });
  };
  return (
    <div className="form">
      {NUMBERS.map((name) => (
        <Field
          key={name}
          label={t(`packages.fields.${name}`)}
          hint={t('packages.bulkHint')}
          errors={errorsOfEach(errors, name).slice(0, 1)}
        >
          {(given) => (
            <input
              {...given}
              className="input"
              inputMode="decimal"
              value={(value[name] as string | undefined) ?? ''}
              onChange={(event) => set(name, event.target.value || undefined)}
            />
          )}
        </Field>
      ))}
      {SWITCHES.map((name) => {
        const label = name === 'sync' ? t('packages.columns.sync') : t(`services.fields.${name}`);
        const [error] = errorsOfEach(errors, name);
        return (
          <div key={name} className="switches-one">
            <span>{label}</span>
            <Select
              label={label}
              value={value[name] === undefined ? null : value[name] ? 'on' : 'off'}
              placeholder={t('services.stays')}
              clearable
              invalid={error !== undefined}
              options={[
                { value: 'on', label: t('services.on') },
                { value: 'off', label: t('services.off') },
              ]}
              onChange={(to) => set(name, to === null ? undefined : to === 'on')}
            />
            {error && <small className="field-error">{error}</small>}
          </div>
        );
      })}
    </div>
  );
}
