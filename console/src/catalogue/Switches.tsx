// The switches in the form of a bulk action. Each switch enables a field in all selected records, disables it, or leaves it
// unchanged.
import { useTranslation } from 'react-i18next';
import { type FormProps, getFieldErrorsOfAllRecords } from '@/table/action';
import { Select } from '@/ui/Select';

/** The fields that the action changes. A missing field stays unchanged. */
type SwitchValues<Name extends string> = { readonly [N in Name]?: boolean | null };

interface Props<Name extends string>
  extends Pick<FormProps<unknown, SwitchValues<Name>>, 'value' | 'onChange' | 'errors'> {
  switches: readonly { name: Name; label: string }[];
}

/** Returns the form input with the field set to `fieldValue`. Removes the field if `fieldValue` is undefined. */
export function withField<FormInput extends object>(
  input: FormInput,
  name: keyof FormInput,
  fieldValue: unknown,
): FormInput {
  const { [name]: _, ...otherFields } = input;
  return { ...otherFields, ...(fieldValue === undefined ? {} : { [name]: fieldValue }) } as FormInput;
}

export function Switches<Name extends string>({ switches, value, onChange, errors }: Props<Name>) {
  const { t } = useTranslation();
  const options = [
    { value: 'on', label: t('ui.on') },
    { value: 'off', label: t('ui.off') },
  ];
  return switches.map(({ name, label }) => {
    const [error] = getFieldErrorsOfAllRecords(errors, name);
    return (
      <div key={name} className="switches-one">
        <span>{label}</span>
        <Select
          label={label}
          value={value[name] === undefined ? null : value[name] ? 'on' : 'off'}
          placeholder={t('ui.noChange')}
          isClearable
          invalid={error !== undefined}
          options={options}
          onChange={(option) => onChange(withField(value, name, option === null ? undefined : option === 'on'))}
        />
        {error && <small className="field-error">{error}</small>}
      </div>
    );
  });
}
