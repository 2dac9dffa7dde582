// A picker of several among many. The stock one gives its event no type, and null for nothing.
import { MultiSelect } from 'primereact/multiselect';
import type { Option } from './Select';

interface Props<Value> {
  id: string;
  label: string;
  value: readonly Value[];
  options: readonly Option<Value>[];
  onChange: (value: Value[]) => void;
  placeholder?: string;
  /** Whether there are so many that a person looks for one by its name. */
  searchable?: true;
  /** More than these are counted instead of named; without it each has a chip. */
  most?: number;
}

export function MultiChoice<Value extends string | number>(props: Props<Value>) {
  const { id, label, value, options, onChange, placeholder, searchable = false, most } = props;
  return (
    <MultiSelect
      inputId={id}
      aria-label={label}
      value={[...value]}
      options={[...options]}
      onChange={(event) => onChange((event.value as Value[] | null) ?? [])}
      placeholder={placeholder}
      filter={searchable}
      {...(most === undefined ? { display: 'chip' as const } : { maxSelectedLabels: most })}
    />
  );
}
