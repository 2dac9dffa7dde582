// The state of a text input. It calls `onChange` half a second after the last keystroke, or immediately when the user presses Enter.
import { useEffect, useRef, useState } from 'react';

/** The delay that the specification requires for list filters. */
const DEBOUNCE_MS = 500;

export function useDebouncedInput(value: string, onChange: (value: string, pushHistory: boolean) => void) {
  const [draft, setDraftState] = useState(value);
  const reportedValue = useRef(value);
  const timer = useRef<number | undefined>(undefined);
  const latestOnChange = useRef(onChange);
  latestOnChange.current = onChange;

  // The Back button, "Reset filter" and links change `value`. A value that this hook itself has reported must not overwrite the text
  // that the user types meanwhile.
  useEffect(() => {
    if (value === reportedValue.current) return;
    reportedValue.current = value;
    window.clearTimeout(timer.current);
    setDraftState(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const reportValue = (text: string, pushHistory: boolean) => {
    window.clearTimeout(timer.current);
    const trimmedText = text.trim();
    if (trimmedText === reportedValue.current) return;
    reportedValue.current = trimmedText;
    latestOnChange.current(trimmedText, pushHistory);
  };
  const setDraft = (text: string) => {
    setDraftState(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => reportValue(text, false), DEBOUNCE_MS);
  };
  return { draft, setDraft, commit: () => reportValue(draft, true) };
}
