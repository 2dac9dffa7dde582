// A dropdown whose values have a type. For screen readers, PrimeReact needs the label in two properties.
import { Dropdown } from 'primereact/dropdown';

export interface Option<Value> {
  value: Value;
  label: string;
}

const MAX_OPTIONS_WITHOUT_SEARCH = 12;

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
      filter={options.length > MAX_OPTIONS_WITHOUT_SEARCH}
    />
  );
}
