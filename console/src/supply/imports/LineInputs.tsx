// Inputs of an import line. They have an accessible name but no visible label, because the column header serves as the label.
import { useId } from 'react';

interface TextInputProps {
  label: string;
  value: string;
  errors: readonly string[];
  /** A warning, such as that the price is too low. Shown only if there are no errors. */
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
  columnTitle: string;
  /** Returns the accessible name of the input, which contains the column title and the name of the line. */
  labelForLine: (columnTitle: string) => string;
}

/** A table cell with a number. A narrow screen shows the column title above the number. */
export function NumberCell({ columnTitle, labelForLine, ...props }: NumberCellProps) {
  return (
    <td data-label={columnTitle}>
      <TextInput {...props} label={labelForLine(columnTitle)} numeric />
    </td>
  );
}
