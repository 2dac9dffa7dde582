// An autocomplete that selects one record by a part of its name, or by its id.
import { AutoComplete } from 'primereact/autocomplete';
import { type KeyboardEvent, useRef, useState } from 'react';
import { asProblem } from '@/api/problem';

interface Props<Hit> {
  id?: string | undefined;
  label: string;
  value: Hit | null;
  onChange: (hit: Hit | null) => void;
  find: (query: string) => Promise<readonly Hit[]>;
  labelOf: (hit: Hit) => string;
  placeholder: string;
  empty: string;
  invalid?: boolean | undefined;
}

export function Picker<Hit>(props: Props<Hit>) {
  const { id, label, value, onChange, find, labelOf, placeholder, empty, invalid = false } = props;
  const [hits, setHits] = useState<readonly Hit[]>([]);
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  /** The search text of the hits. */
  const [hitsQuery, setHitsQuery] = useState<string | null>(null);
  const latestQuery = useRef('');
  const list = useRef<AutoComplete>(null);
  const search = async (query: string) => {
    latestQuery.current = query;
    const [hits, problem] = await find(query).then(
      (hits) => [hits, null] as const,
      (error: unknown) => [[], asProblem(error).message] as const,
    );
    // A newer search is in flight.
    if (latestQuery.current !== query) return;
    setError(problem);
    setHits(hits);
    setHitsQuery(query);
  };
  const type = (text: string) => {
    setTyped(value && text === labelOf(value) ? null : text);
    // The highlighted hit belongs to the previous text.
    clearHighlight(list.current?.getOverlay());
    if (text === '') onChange(null);
  };
  const choose = (hit: Hit) => {
    setTyped(null);
    onChange(hit);
  };
  // Runs after the list's own handler, which handles Enter on a highlighted hit. While the text is no selection yet, Enter must not
  // submit the form with the former record.
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !typed || event.defaultPrevented) return;
    event.preventDefault();
    const [only, ...others] = hitsQuery === typed ? hits : [];
    if (!only || others.length > 0) return;
    choose(only);
    list.current?.hide();
  };
  return (
    <AutoComplete
      ref={list}
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={typed ?? (value ? labelOf(value) : '')}
      // PrimeReact's type accepts only arrays of a concrete type.
      suggestions={[...hits] as never[]}
      completeMethod={({ query }) => void search(query)}
      itemTemplate={(hit: unknown) => <span title={labelOf(hit as Hit)}>{labelOf(hit as Hit)}</span>}
      delay={300}
      invalid={invalid}
      placeholder={placeholder}
      emptyMessage={error ?? empty}
      showEmptyMessage
      onChange={({ value }) => typeof value === 'string' && type(value)}
      onSelect={({ value }) => choose(value as Hit)}
      onKeyDown={press}
      onBlur={() => {
        // Text without a selected hit is no record, and must not keep the former one.
        if (typed) onChange(null);
        setTyped(null);
      }}
      // A click on a hit must not blur the field.
      pt={{ panel: { onMouseDown: (event) => event.preventDefault() } }}
    />
  );
}

function clearHighlight(panel: HTMLElement | null | undefined): void {
  for (const hit of panel?.querySelectorAll('[data-p-highlight=true]') ?? []) {
    hit.setAttribute('data-p-highlight', 'false');
    hit.classList.remove('p-highlight');
  }
}
