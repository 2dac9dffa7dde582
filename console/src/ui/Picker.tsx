// An autocomplete field with which the user finds and selects one record.
import { AutoComplete } from 'primereact/autocomplete';
import { type KeyboardEvent, useRef, useState } from 'react';
import { asProblem } from '@/api/problem';

interface Props<Item> {
  id?: string | undefined;
  label: string;
  value: Item | null;
  onChange: (item: Item | null) => void;
  search: (query: string) => Promise<readonly Item[]>;
  formatLabel: (item: Item) => string;
  placeholder: string;
  /** The text that the list shows if the search has no results. */
  emptyText: string;
  invalid?: boolean | undefined;
}

export function Picker<Item>(props: Props<Item>) {
  const { id, label, value, onChange, search, formatLabel, placeholder, emptyText, invalid = false } = props;
  const [results, setResults] = useState<readonly Item[]>([]);
  /** The text that the user is typing; null while a record is selected or the field is empty. */
  const [typedText, setTypedText] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  /** The query that returned `results`. */
  const [resultsQuery, setResultsQuery] = useState<string | null>(null);
  const latestQuery = useRef('');
  const autoComplete = useRef<AutoComplete>(null);
  const updateResults = async (query: string) => {
    latestQuery.current = query;
    const [newResults, errorMessage] = await search(query).then(
      (items) => [items, null] as const,
      (error: unknown) => [[], asProblem(error).message] as const,
    );
    // The user has typed more, and a newer search is pending.
    if (latestQuery.current !== query) return;
    setError(errorMessage);
    setResults(newResults);
    setResultsQuery(query);
  };
  const onType = (text: string) => {
    setTypedText(value && text === formatLabel(value) ? null : text);
    // The highlighted result belongs to the old query.
    clearHighlight(autoComplete.current?.getOverlay());
    if (text === '') onChange(null);
  };
  const select = (item: Item) => {
    setTypedText(null);
    onChange(item);
  };
  // Runs after PrimeReact's handler, which selects a highlighted result on Enter. While the user types, Enter must not submit the
  // form, because the form still has the record that was selected before.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !typedText || event.defaultPrevented) return;
    event.preventDefault();
    const [onlyResult, ...otherResults] = resultsQuery === typedText ? results : [];
    if (!onlyResult || otherResults.length > 0) return;
    select(onlyResult);
    autoComplete.current?.hide();
  };
  return (
    <AutoComplete
      ref={autoComplete}
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={typedText ?? (value ? formatLabel(value) : '')}
      // PrimeReact's type accepts only arrays of a concrete type.
      suggestions={[...results] as never[]}
      completeMethod={({ query }) => void updateResults(query)}
      itemTemplate={(item: unknown) => <span title={formatLabel(item as Item)}>{formatLabel(item as Item)}</span>}
      delay={300}
      invalid={invalid}
      placeholder={placeholder}
      emptyMessage={error ?? emptyText}
      showEmptyMessage
      onChange={({ value }) => typeof value === 'string' && onType(value)}
      onSelect={({ value }) => select(value as Item)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        // The user has typed a text but selected no result: the record that was selected before must not stay.
        if (typedText) onChange(null);
        setTypedText(null);
      }}
      // A click on a result must not blur the field, because `onBlur` would clear the field.
      pt={{ panel: { onMouseDown: (event) => event.preventDefault() } }}
    />
  );
}

function clearHighlight(panel: HTMLElement | null | undefined): void {
  for (const element of panel?.querySelectorAll('[data-p-highlight=true]') ?? []) {
    element.setAttribute('data-p-highlight', 'false');
    element.classList.remove('p-highlight');
  }
}
