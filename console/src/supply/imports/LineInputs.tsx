// Inputs of an import line. They have an accessible name but no visible label, because the column header is the label.
import { useId } from 'react';

interface TextInputProps {
  label: string;
  value: string;
  errors: readonly string[];
  /** A warning, such as a price that is too low; shown while there are no errors. */
  warning?: string;
  numeric?: true;
  onChange: (value: string) => void;
}

export function TextInput({ label, value, errors, warning = '', numeric, onChange }: TextInputProps) {
  const messageId = useId();
  const message = errors.length > 0 ? errors.join(' ') : warning;
  return (
    <>
      <input
        className={numeric ? 'input import-number' : 'input'}
        inputMode={numeric ? 'decimal' : 'text'}
        aria-label={label}
        aria-invalid={errors.length > 0 || undefined}
        {...(message ? { 'aria-describedby': messageId } : {})}
        maxLength={numeric ? 24 : 255}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {message && (
        <small id={messageId} className="field-error">
          {message}
        </small>
      )}
    </>
  );
}

interface NumberCellProps extends Omit<TextInputProps, 'label' | 'numeric'> {
  column: string;
  /** Formats the accessible name of the input from the name of its column. */
  formatLabel: (column: string) => string;
}

/** A table cell with a number. A narrow screen shows the name of the column above it. */
export function NumberCell({ column, formatLabel, ...props }: NumberCellProps) {
  return (
    <td data-label={column}>
      <TextInput {...props} label={formatLabel(column)} numeric />
    </td>
  );
}
