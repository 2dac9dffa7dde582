// A dropdown with typed values. PrimeReact needs the label in two properties for screen readers.
import { Dropdown } from 'primereact/dropdown';

export interface Option<Value> {
  value: Value;
  label: string;
}

interface Props<Value> {
  id?: string;
  label: string;
  value: Value | null;
  options: readonly Option<Value>[];
  onChange: (value: Value | null) => void;
  placeholder?: string;
  clearable?: boolean;
  invalid?: boolean;
  className?: string;
}

export function Select<Value extends string | number>(props: Props<Value>) {
  const { id, label, value, options, onChange, placeholder, clearable = false, invalid = false, className } = props;
  return (
    <Dropdown
      {...(id ? { inputId: id } : {})}
      value={value}
      options={[...options]}
      onChange={(event) => onChange((event.value as Value | undefined) ?? null)}
      placeholder={placeholder}
      showClear={clearable && value !== null}
      invalid={invalid}
      ariaLabel={label}
      aria-label={label}
      className={className}
      filter={options.length > 12}
    />
  );
}
