// One record found by part of its name, or by id. What kinds there are is declared in the files that use it.
import { AutoComplete } from 'primereact/autocomplete';
import { useState } from 'react';

interface Props<Hit> {
  id?: string | undefined;
  label: string;
  value: Hit | null;
  onChange: (hit: Hit | null) => void;
  find: (query: string) => Promise<readonly Hit[]>;
  shown: (hit: Hit) => string;
  placeholder: string;
  empty: string;
  invalid?: boolean | undefined;
}

export function Picker<Hit>(props: Props<Hit>) {
  const { id, label, value, onChange, find, shown, placeholder, empty, invalid = false } = props;
  const [hits, setHits] = useState<readonly Hit[]>([]);
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <AutoComplete
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={typed ?? (value ? shown(value) : '')}
      // Told apart by the stock types when a hit is a list, which none is.
      suggestions={[...hits] as never[]}
      completeMethod={({ query }) => void find(query).then(setHits, () => setHits([]))}
      itemTemplate={(hit: unknown) => shown(hit as Hit)}
      delay={300}
      invalid={invalid}
      placeholder={placeholder}
      emptyMessage={empty}
      showEmptyMessage
      onChange={({ value }) => setTyped(typeof value === 'string' ? value : null)}
      onSelect={({ value }) => {
        setTyped(null);
        onChange(value as Hit);
      }}
      onBlur={() => {
        // What was typed and not chosen is nobody.
        if (typed === '') onChange(null);
        setTyped(null);
      }}
    />
  );
}
