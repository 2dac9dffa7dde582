// A text input whose changes are reported half a second after the last keystroke, or at once on Enter.
import { useEffect, useRef, useState } from 'react';

/** Debounce of list filters, from the specification. */
const DEBOUNCE_MS = 500;

export function useDebouncedInput(value: string, onChange: (value: string, step: boolean) => void) {
  const [draft, setDraft] = useState(value);
  const reported = useRef(value);
  const timer = useRef<number | undefined>(undefined);
  const report = useRef(onChange);
  report.current = onChange;

  // Back, Reset and links change the value from outside. A change that this hook reported itself must not reset the draft.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    window.clearTimeout(timer.current);
    setDraft(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const commit = (text: string, step: boolean) => {
    window.clearTimeout(timer.current);
    const trimmed = text.trim();
    if (trimmed === reported.current) return;
    reported.current = trimmed;
    report.current(trimmed, step);
  };
  const type = (text: string) => {
    setDraft(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => commit(text, false), DEBOUNCE_MS);
  };
  return { draft, type, commit: () => commit(draft, true) };
}
