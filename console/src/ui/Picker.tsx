// An autocomplete with which the user selects one record by a part of its name or by its id.
import { AutoComplete } from 'primereact/autocomplete';
import { type KeyboardEvent, useRef, useState } from 'react';
import { asProblem } from '@/api/problem';

interface Props<Hit> {
  id?: string | undefined;
  label: string;
  value: Hit | null;
  onChange: (hit: Hit | null) => void;
  search: (query: string) => Promise<readonly Hit[]>;
  labelOf: (hit: Hit) => string;
  placeholder: string;
  /** Text without hits. */
  empty: string;
  invalid?: boolean | undefined;
}

export function Picker<Hit>(props: Props<Hit>) {
  const { id, label, value, onChange, search, labelOf, placeholder, empty, invalid = false } = props;
  const [hits, setHits] = useState<readonly Hit[]>([]);
  /** The text that the user types; null while a record is selected or the field is empty. */
  const [draft, setDraft] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  /** The query that has returned `hits`. */
  const [hitsQuery, setHitsQuery] = useState<string | null>(null);
  const latestQuery = useRef('');
  const list = useRef<AutoComplete>(null);
  const updateHits = async (query: string) => {
    latestQuery.current = query;
    const [hits, problem] = await search(query).then(
      (hits) => [hits, null] as const,
      (error: unknown) => [[], asProblem(error).message] as const,
    );
    // The user has typed more: a newer search is pending.
    if (latestQuery.current !== query) return;
    setError(problem);
    setHits(hits);
    setHitsQuery(query);
  };
  const onType = (text: string) => {
    setDraft(value && text === labelOf(value) ? null : text);
    // The highlighted hit belongs to the old query.
    clearHighlight(list.current?.getOverlay());
    if (text === '') onChange(null);
  };
  const select = (hit: Hit) => {
    setDraft(null);
    onChange(hit);
  };
  // Runs after the handler of the list, which handles Enter on a highlighted hit. While the user types, Enter must not submit the
  // form, because the form still has the record that was selected before.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !draft || event.defaultPrevented) return;
    event.preventDefault();
    const [onlyHit, ...otherHits] = hitsQuery === draft ? hits : [];
    if (!onlyHit || otherHits.length > 0) return;
    select(onlyHit);
    list.current?.hide();
  };
  return (
    <AutoComplete
      ref={list}
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={draft ?? (value ? labelOf(value) : '')}
      // PrimeReact's type accepts only arrays of a concrete type.
      suggestions={[...hits] as never[]}
      completeMethod={({ query }) => void updateHits(query)}
      itemTemplate={(hit: unknown) => <span title={labelOf(hit as Hit)}>{labelOf(hit as Hit)}</span>}
      delay={300}
      invalid={invalid}
      placeholder={placeholder}
      emptyMessage={error ?? empty}
      showEmptyMessage
      onChange={({ value }) => typeof value === 'string' && onType(value)}
      onSelect={({ value }) => select(value as Hit)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        // The user has typed a text and selected no hit: the record that was selected before must not stay.
        if (draft) onChange(null);
        setDraft(null);
      }}
      // Prevents that a click on a hit blurs the field, which would clear it.
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
