// A field with a label above its control, and the errors, the conflict or the hint below the control. `children` renders the
// control with the given id and ARIA attributes.
import { type ReactNode, useId } from 'react';

interface ControlProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

interface Props {
  label: string;
  hint?: string | undefined;
  /** Text about the value that another user has saved since the form was loaded. It replaces the hint. */
  conflict?: string | undefined;
  errors?: readonly string[] | undefined;
  children: (props: ControlProps) => ReactNode;
}

export function Field({ label, hint, conflict, errors = [], children }: Props) {
  const id = useId();
  const text = errors.length > 0 ? errors.join(' ') : (conflict ?? hint);
  const controlProps: ControlProps = {
    id,
    ...(text ? { 'aria-describedby': `${id}-text` } : {}),
    ...(errors.length > 0 ? { 'aria-invalid': true as const } : {}),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(controlProps)}
      {text && (
        <small
          id={`${id}-text`}
          className={errors.length > 0 ? 'field-error' : conflict ? 'field-newer' : 'field-hint'}
        >
          {text}
        </small>
      )}
    </div>
  );
}

interface CheckboxProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Why the checkbox is disabled. A checkbox without a reason is enabled. */
  disabledReason?: string | undefined;
  /** Small text after the label. */
  note?: string | undefined;
  hint?: string | undefined;
  /** Text about the value that another user has saved since the form was loaded. */
  conflict?: string | undefined;
  errors?: readonly string[] | undefined;
}

export function Checkbox({
  label,
  checked,
  onChange,
  disabledReason,
  note,
  hint,
  conflict,
  errors = [],
}: CheckboxProps) {
  const id = useId();
  const hasError = errors.length > 0;
  const text = hasError ? errors.join(' ') : (conflict ?? hint);
  const checkbox = (
    <label className="tick" title={disabledReason}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabledReason !== undefined}
        aria-invalid={hasError || undefined}
        aria-describedby={text ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {note && <small> · {note}</small>}
      </span>
    </label>
  );
  if (!text) return checkbox;
  return (
    <div className="field">
      {checkbox}
      <small id={id} className={hasError ? 'field-error' : conflict ? 'field-newer' : 'field-hint'}>
        {text}
      </small>
    </div>
  );
}
