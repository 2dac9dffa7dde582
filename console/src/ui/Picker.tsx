// One record found by part of its name, or by id. What kinds there are is declared in the files that use it.
import { AutoComplete } from 'primereact/autocomplete';
import { type KeyboardEvent, useRef, useState } from 'react';
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
  /** What the hits were found by. */
  const [found, setFound] = useState<string | null>(null);
  const asked = useRef('');
  const list = useRef<AutoComplete>(null);
  const search = async (query: string) => {
    asked.current = query;
    const [hits, problem] = await find(query).then(
      (hits) => [hits, null] as const,
      (error: unknown) => [[], asProblem(error).message] as const,
    );
    // What was asked for since then comes later.
    if (asked.current !== query) return;
    setRefused(problem);
    setHits(hits);
    setFound(query);
  };
  const type = (text: string) => {
    setTyped(value && text === shown(value) ? null : text);
    // The list takes another text now: what was marked in it was for the one before.
    unmark(list.current?.getOverlay());
    if (text === '') onChange(null);
  };
  const choose = (hit: Hit) => {
    setTyped(null);
    onChange(hit);
  };
  // After the list, which takes the key where a hit is marked in it. What is typed and not chosen yet must not be sent as
  // the record that was chosen before.
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !typed || event.defaultPrevented) return;
    event.preventDefault();
    const [only, ...others] = found === typed ? hits : [];
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
      onChange={({ value }) => typeof value === 'string' && type(value)}
      onSelect={({ value }) => choose(value as Hit)}
      onKeyDown={press}
      onBlur={() => {
        // What was typed and not chosen is no record, and above all not the one that was chosen before.
        if (typed) onChange(null);
        setTyped(null);
      }}
      // A press on a hit does not leave the field.
      pt={{ panel: { onMouseDown: (event) => event.preventDefault() } }}
    />
  );
}

function unmark(panel: HTMLElement | null | undefined): void {
  for (const hit of panel?.querySelectorAll('[data-p-highlight=true]') ?? []) {
    hit.setAttribute('data-p-highlight', 'false');
    hit.classList.remove('p-highlight');
  }
}
