// Switches of many records at once: each stays as it is, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import { errorsOfEach, type FormProps, type Input } from '@/table/action';
import { Select } from '@/ui/Select';

export interface Switch {
  name: string;
  label: string;
}

interface Props extends Pick<FormProps<unknown>, 'value' | 'onChange' | 'errors'> {
  switches: readonly Switch[];
}

/** The input with a field set, or without it where nothing is to change. */
export function changed(value: Input, name: string, to: unknown): Input {
  const { [name]: _, ...rest } = value;
  return to === undefined ? rest : { ...rest, [name]: to };
}

export function Switches({ switches, value, onChange, errors }: Props) {
  const { t } = useTranslation();
  const options = [
    { value: 'on', label: t('services.on') },
    { value: 'off', label: t('services.off') },
  ];
  return switches.map(({ name, label }) => {
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
          options={options}
          onChange={(to) => onChange(changed(value, name, to === null ? undefined : to === 'on'))}
        />
        {error && <small className="field-error">{error}</small>}
      </div>
    );
  });
}
