// A password input with the autocomplete hints for password managers.
import { Field } from '@/ui/Field';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  errors?: readonly string[] | undefined;
  hint?: string;
  /** A new password instead of the current one. */
  isNew?: boolean;
  hasFocus?: boolean;
}

export function PasswordField({ label, value, onChange, errors, hint, isNew = false, hasFocus = false }: Props) {
  return (
    <Field label={label} errors={errors} {...(hint ? { hint } : {})}>
      {(controlProps) => (
        <input
          {...controlProps}
          className="input"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          data-autofocus={hasFocus || undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
