// The input of a password, with what password managers need to know of it.
import { Field } from '@/ui/Field';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  errors?: readonly string[] | undefined;
  hint?: string;
  /** A password that is being chosen, not one that exists. */
  isNew?: boolean;
  hasFocus?: boolean;
}

export function PasswordField({ label, value, onChange, errors, hint, isNew = false, hasFocus = false }: Props) {
  return (
    <Field label={label} errors={errors} {...(hint ? { hint } : {})}>
      {(given) => (
        <input
          {...given}
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
