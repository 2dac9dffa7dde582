// The state of a text input that calls `onChange` half a second after the last keystroke, or at once on Enter.
import { useEffect, useRef, useState } from 'react';

/** Debounce of list filters, from the specification. */
const DEBOUNCE_MS = 500;

export function useDebouncedInput(value: string, onChange: (value: string, pushHistory: boolean) => void) {
  const [draft, setDraftState] = useState(value);
  const reportedValue = useRef(value);
  const timer = useRef<number | undefined>(undefined);
  const latestOnChange = useRef(onChange);
  latestOnChange.current = onChange;

  // "Back", "Reset filter" and links change `value`. A change that this hook has reported must not overwrite what the user types.
  useEffect(() => {
    if (value === reportedValue.current) return;
    reportedValue.current = value;
    window.clearTimeout(timer.current);
    setDraftState(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const report = (text: string, pushHistory: boolean) => {
    window.clearTimeout(timer.current);
    const trimmedText = text.trim();
    if (trimmedText === reportedValue.current) return;
    reportedValue.current = trimmedText;
    latestOnChange.current(trimmedText, pushHistory);
  };
  const setDraft = (text: string) => {
    setDraftState(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => report(text, false), DEBOUNCE_MS);
  };
  return { draft, setDraft, commit: () => report(draft, true) };
}
