// A typed wrapper of PrimeReact's MultiSelect, whose event is untyped and whose value is null for an empty selection.
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
  hasSearchField?: true;
  /** If more values are selected, the field shows only their number. Without `maxLabels`, each selected value has a chip. */
  maxShownValues?: number;
}

export function MultiChoice<Value extends string | number>(props: Props<Value>) {
  const { id, label, value, options, onChange, placeholder, hasSearchField = false, maxShownValues } = props;
  return (
    <MultiSelect
      inputId={id}
      aria-label={label}
      value={[...value]}
      options={[...options]}
      onChange={(event) => onChange((event.value as Value[] | null) ?? [])}
      placeholder={placeholder}
      filter={hasSearchField}
      {...(maxShownValues === undefined ? { display: 'chip' as const } : { maxSelectedLabels: maxShownValues })}
    />
  );
}
