// A typed wrapper of PrimeReact's Dropdown. It has a search field if there are many options.
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
  isClearable?: boolean;
  invalid?: boolean;
  className?: string;
}

export function Select<Value extends string | number>(props: Props<Value>) {
  const { id, label, value, options, onChange, placeholder, isClearable = false, invalid = false, className } = props;
  return (
    <Dropdown
      {...(id ? { inputId: id } : {})}
      value={value}
      options={[...options]}
      onChange={(event) => onChange((event.value as Value | undefined) ?? null)}
      placeholder={placeholder}
      showClear={isClearable && value !== null}
      invalid={invalid}
      // PrimeReact sets `ariaLabel` on the input and `aria-label` on the root element; screen readers need both.
      ariaLabel={label}
      aria-label={label}
      className={className}
      filter={options.length > MAX_OPTIONS_WITHOUT_SEARCH}
    />
  );
}
