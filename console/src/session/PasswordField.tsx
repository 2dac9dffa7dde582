// A password input. Its `autoComplete` attribute tells password managers whether the password is new.
import { Field } from '@/ui/Field';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  errors?: readonly string[] | undefined;
  hint?: string;
  /** Whether the user sets a new password instead of entering the current one. */
  isNew?: boolean;
  autoFocus?: boolean;
}

export function PasswordField({ label, value, onChange, errors, hint, isNew = false, autoFocus = false }: Props) {
  return (
    <Field label={label} errors={errors} {...(hint ? { hint } : {})}>
      {(controlProps) => (
        <input
          {...controlProps}
          className="input"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          data-autofocus={autoFocus || undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
