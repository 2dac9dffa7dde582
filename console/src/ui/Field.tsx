// A labelled field with the server's errors for it. The control gets its id and its description.
import { type ReactNode, useId } from 'react';

interface Given {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

interface Props {
  label: string;
  hint?: string | undefined;
  /** What another person made of the value meanwhile; it takes the place of the hint. */
  newer?: string | undefined;
  errors?: readonly string[] | undefined;
  children: (given: Given) => ReactNode;
}

export function Field({ label, hint, newer, errors = [], children }: Props) {
  const id = useId();
  const text = errors.length > 0 ? errors.join(' ') : (newer ?? hint);
  const given: Given = {
    id,
    ...(text ? { 'aria-describedby': `${id}-text` } : {}),
    ...(errors.length > 0 ? { 'aria-invalid': true as const } : {}),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(given)}
      {text && (
        <small id={`${id}-text`} className={errors.length > 0 ? 'field-error' : newer ? 'field-newer' : 'field-hint'}>
          {text}
        </small>
      )}
    </div>
  );
}

interface TickProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Why it cannot be ticked now. */
  disabled?: string | undefined;
  /** A word behind the label. */
  note?: string | undefined;
  hint?: string | undefined;
  /** What another person made of it meanwhile. */
  newer?: string | undefined;
  errors?: readonly string[] | undefined;
}

/** A box to tick, with its words beside it and, below, what is wrong with it, what another person made of it, or its hint. */
export function Tick({ label, checked, onChange, disabled, note, hint, newer, errors = [] }: TickProps) {
  const id = useId();
  const isWrong = errors.length > 0;
  const text = isWrong ? errors.join(' ') : (newer ?? hint);
  const box = (
    <label className="tick" title={disabled}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled !== undefined}
        aria-invalid={isWrong || undefined}
        aria-describedby={text ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {note && <small> · {note}</small>}
      </span>
    </label>
  );
  if (!text) return box;
  return (
    <div className="field">
      {box}
      <small id={id} className={isWrong ? 'field-error' : newer ? 'field-newer' : 'field-hint'}>
        {text}
      </small>
    </div>
  );
}
