// A field of a line: its label is read out, what is wrong with it stands below.
import { useId } from 'react';

interface TextProps {
  label: string;
  value: string;
  wrong: readonly string[];
  /** What is worth knowing, where nothing is wrong. */
  note?: string;
  numeric?: true;
  onChange: (value: string) => void;
}

export function TextCell({ label, value, wrong, note = '', numeric, onChange }: TextProps) {
  const told = useId();
  const says = wrong.length > 0 ? wrong.join(' ') : note;
  return (
    <>
      <input
        className={numeric ? 'input import-number' : 'input'}
        inputMode={numeric ? 'decimal' : 'text'}
        aria-label={label}
        aria-invalid={wrong.length > 0 || undefined}
        {...(says ? { 'aria-describedby': told } : {})}
        maxLength={numeric ? 24 : 255}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {says && (
        <small id={told} className="field-error">
          {says}
        </small>
      )}
    </>
  );
}

interface NumberProps extends Omit<TextProps, 'label' | 'numeric'> {
  /** What the column is called. */
  name: string;
  /** Names the control, of what the column is called. */
  labelOf: (column: string) => string;
}

/** A number in a cell of its own; a narrow screen shows the column's name above it. */
export function NumberCell({ name, labelOf, ...props }: NumberProps) {
  return (
    <td data-label={name}>
      <TextCell {...props} label={labelOf(name)} numeric />
    </td>
  );
}
