// Switches of many records at once: each stays as it is, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import { errorsOfEach, type FormProps } from '@/table/action';
import { Select } from '@/ui/Select';

/** Switches that are to change; those that are not there stay. */
type Switched<Name extends string> = { readonly [N in Name]?: boolean | null };

interface Props<Name extends string> extends Pick<FormProps<unknown, Switched<Name>>, 'value' | 'onChange' | 'errors'> {
  switches: readonly { name: Name; label: string }[];
}

/** The input with a field set, or without it where nothing is to change. */
export function withField<Edited extends object>(value: Edited, name: keyof Edited, to: unknown): Edited {
  const { [name]: _, ...rest } = value;
  return { ...rest, ...(to === undefined ? {} : { [name]: to }) } as Edited;
}

export function Switches<Name extends string>({ switches, value, onChange, errors }: Props<Name>) {
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
          onChange={(to) => onChange(withField(value, name, to === null ? undefined : to === 'on'))}
        />
        {error && <small className="field-error">{error}</small>}
      </div>
    );
  });
}
