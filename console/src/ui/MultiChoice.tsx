// A multi-select whose values have a type: PrimeReact's event is untyped, and its value is null for an empty selection.
import { MultiSelect } from 'primereact/multiselect';
import type { Option } from './Select';

interface Props<Value> {
  id: string;
  label: string;
  value: readonly Value[];
  options: readonly Option<Value>[];
  onChange: (value: Value[]) => void;
  placeholder?: string;
  /** Shows a search field for the options. */
  searchable?: true;
  /** Shows a larger selection as its count. Without `maxLabels` each value has a chip. */
  maxLabels?: number;
}

export function MultiChoice<Value extends string | number>(props: Props<Value>) {
  const { id, label, value, options, onChange, placeholder, searchable = false, maxLabels } = props;
  return (
    <MultiSelect
      inputId={id}
      aria-label={label}
      value={[...value]}
      options={[...options]}
      onChange={(event) => onChange((event.value as Value[] | null) ?? [])}
      placeholder={placeholder}
      filter={searchable}
      {...(maxLabels === undefined ? { display: 'chip' as const } : { maxSelectedLabels: maxLabels })}
    />
  );
}
