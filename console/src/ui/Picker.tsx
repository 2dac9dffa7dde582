// One record found by part of its name, or by id. What kinds there are is declared in the files that use it.
import { AutoComplete } from 'primereact/autocomplete';
import { useRef, useState } from 'react';
import { asProblem } from '@/api/problem';

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
  const [refused, setRefused] = useState<string | null>(null);
  const asked = useRef('');
  const search = async (query: string) => {
    asked.current = query;
    const [found, problem] = await find(query).then(
      (found) => [found, null] as const,
      (error: unknown) => [[], asProblem(error).message] as const,
    );
    // What was asked for since then comes later.
    if (asked.current !== query) return;
    setRefused(problem);
    setHits(found);
  };
  return (
    <AutoComplete
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={typed ?? (value ? shown(value) : '')}
      // Told apart by the stock types when a hit is a list, which none is.
      suggestions={[...hits] as never[]}
      completeMethod={({ query }) => void search(query)}
      itemTemplate={(hit: unknown) => <span title={shown(hit as Hit)}>{shown(hit as Hit)}</span>}
      delay={300}
      invalid={invalid}
      placeholder={placeholder}
      emptyMessage={refused ?? empty}
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
