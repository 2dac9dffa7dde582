// Sends a form's body as a dry run while the user types, debounced, and returns the server's answer or problem.
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '@/api/problem';

const DEBOUNCE_MS = 500;

interface DryRun<Body, Answer> {
  /** Prefix of the query key; the body is appended. */
  queryKey: QueryKey;
  /** Null while the form is too incomplete for a dry run. */
  body: Body | null;
  send: (body: Body, signal: AbortSignal) => Promise<Answer>;
}

interface DryRunResult<Answer> {
  /** The answer to the last body; kept while the next dry run is in flight. */
  answer: Answer | null;
  problem: Problem | null;
}

export function useDryRun<Body, Answer>({ queryKey, body, send }: DryRun<Body, Answer>): DryRunResult<Answer> {
  const text = JSON.stringify(body);
  const [debounced, setDebounced] = useState({ text, body });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a body of the same text is the same.
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced({ text, body }), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery({
    queryKey: [...queryKey, debounced.text],
    enabled: debounced.body !== null,
    retry: false,
    // Prices and balances change: an answer is never reused.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => send(debounced.body as Body, signal),
  });
  if (debounced.body === null) return { answer: null, problem: null };
  return { answer: error ? null : (data ?? null), problem: error ? asProblem(error) : null };
}
