// Sends the body of a form as a dry run while the user types (debounced), and returns the server's result or problem.
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '@/api/problem';

const DEBOUNCE_MS = 500;

interface DryRunOptions<Body, Result> {
  /** Prefix of the query key; the body is appended. */
  queryKey: QueryKey;
  /** Null while the form is too incomplete for a dry run. */
  body: Body | null;
  send: (body: Body, signal: AbortSignal) => Promise<Result>;
}

interface DryRunResult<Result> {
  /** The result for the last body. It stays until the next dry run ends. */
  result: Result | null;
  problem: Problem | null;
}

export function useDryRun<Body, Result>({ queryKey, body, send }: DryRunOptions<Body, Result>): DryRunResult<Result> {
  const json = JSON.stringify(body);
  const [debounced, setDebounced] = useState({ json, body });
  // biome-ignore lint/correctness/useExhaustiveDependencies: two bodies with the same JSON are equal.
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced({ json, body }), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [json]);
  const { data, error } = useQuery({
    queryKey: [...queryKey, debounced.json],
    enabled: debounced.body !== null,
    retry: false,
    // Never cached, because prices and balances change.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => send(debounced.body as Body, signal),
  });
  if (debounced.body === null) return { result: null, problem: null };
  return { result: error ? null : (data ?? null), problem: error ? asProblem(error) : null };
}
