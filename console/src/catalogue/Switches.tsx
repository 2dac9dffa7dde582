// Switches of a bulk action. Each switch leaves its field unchanged, enables it or disables it in all selected records.
import { useTranslation } from 'react-i18next';
import { errorsOfAnyRecord, type FormProps } from '@/table/action';
import { Select } from '@/ui/Select';

/** The fields to change. A field that is missing stays unchanged. */
type SwitchValues<Name extends string> = { readonly [N in Name]?: boolean | null };

interface Props<Name extends string>
  extends Pick<FormProps<unknown, SwitchValues<Name>>, 'value' | 'onChange' | 'errors'> {
  switches: readonly { name: Name; label: string }[];
}

/** Returns the input with the field set to `fieldValue`, or without the field when `fieldValue` is undefined. */
export function withField<Edited extends object>(input: Edited, name: keyof Edited, fieldValue: unknown): Edited {
  const { [name]: _, ...rest } = input;
  return { ...rest, ...(fieldValue === undefined ? {} : { [name]: fieldValue }) } as Edited;
}

export function Switches<Name extends string>({ switches, value, onChange, errors }: Props<Name>) {
  const { t } = useTranslation();
  const options = [
    { value: 'on', label: t('services.on') },
    { value: 'off', label: t('services.off') },
  ];
  return switches.map(({ name, label }) => {
    const [error] = errorsOfAnyRecord(errors, name);
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
          onChange={(option) => onChange(withField(value, name, option === null ? undefined : option === 'on'))}
        />
        {error && <small className="field-error">{error}</small>}
      </div>
    );
  });
}
