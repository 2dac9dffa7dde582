// Switches of many services: each stays, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import type { FormProps } from '@/table/action';
import { Select } from '@/ui/Select';
import type { Row } from './calls';
import { FIELDS } from './fields';

const SWITCHES = FIELDS.filter(({ mode }) => mode === 'tick');

export function SwitchesForm({ value, onChange }: FormProps<Row>) {
  const { t } = useTranslation();
  const set = (name: string, to: string | null) => {
    const { [name]: _, ...rest } = value;
    onChange(to ? { ...rest, [name]: to === 'on' } : rest);
  };
  return (
    <div className="switches">
      {SWITCHES.map(({ name, silent }) => {
        const label = t(`services.fields.${name as 'slug'}`);
        return (
          <div key={name} className="switches-one">
            <span>{label}</span>
            <Select
              label={label}
              value={value[name] === undefined ? null : value[name] ? 'on' : 'off'}
              placeholder={t('services.stays')}
              clearable
              options={[
                ...(silent ? [] : [{ value: 'on', label: t('services.on') }]),
                { value: 'off', label: t('services.off') },
              ]}
              onChange={(to) => set(name, to)}
            />
          </div>
        );
      })}
    </div>
  );
}
