// A text that is typed: shown at once, told half a second after the last letter, and at once on Enter.
import { useEffect, useRef, useState } from 'react';

/** The specification's pause before a table is asked again. */
const PAUSE_MS = 500;

export function useDraft(value: string, onChange: (value: string, step: boolean) => void) {
  const [draft, setDraft] = useState(value);
  const told = useRef(value);
  const timer = useRef<number | undefined>(undefined);
  const tell = useRef(onChange);
  tell.current = onChange;

  // Back, Reset and links change the value from outside; what is being typed here already is the newest.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    window.clearTimeout(timer.current);
    setDraft(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const commit = (text: string, step: boolean) => {
    window.clearTimeout(timer.current);
    const trimmed = text.trim();
    if (trimmed === told.current) return;
    told.current = trimmed;
    tell.current(trimmed, step);
  };
  const type = (text: string) => {
    setDraft(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => commit(text, false), PAUSE_MS);
  };
  return { draft, type, commit: () => commit(draft, true) };
}
