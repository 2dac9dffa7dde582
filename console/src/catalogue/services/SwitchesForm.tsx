// Switches of many services: each stays, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import { errorsOfEach, type FormProps } from '@/table/action';
import { Select } from '@/ui/Select';
import type { Row } from './calls';
import { FIELDS } from './fields';

const SWITCHES = FIELDS.filter(({ mode }) => mode === 'tick');

export function SwitchesForm({ value, onChange, errors }: FormProps<Row>) {
  const { t } = useTranslation();
  const set = (name: string, to: string | null) => {
    const { [name]: _, ...rest } = value;
    onChange(to ? { ...rest, [name]: to === 'on' } : rest);
  };
  return (
    <div className="switches">
      {SWITCHES.map(({ name }) => {
        const label = t(`services.fields.${name as 'slug'}`);
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
              onChange={(to) => set(name, to)}
            />
            {error && <small className="field-error">{error}</small>}
          </div>
        );
      })}
    </div>
  );
}
