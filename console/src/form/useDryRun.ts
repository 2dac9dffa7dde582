// While the user types, sends the body of a form as a dry run (debounced), and returns the result or the problem of the server.
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '@/api/problem';

const DEBOUNCE_MS = 500;

interface DryRunOptions<Body, Result> {
  /** The first part of the query key. The body is appended. */
  queryKey: QueryKey;
  /** Null while required fields are missing: then nothing is sent. */
  body: Body | null;
  send: (body: Body, signal: AbortSignal) => Promise<Result>;
}

interface DryRunResult<Result> {
  /** The result of the last dry run. It stays until the next dry run ends. */
  result: Result | null;
  problem: Problem | null;
}

export function useDryRun<Body, Result>({ queryKey, body, send }: DryRunOptions<Body, Result>): DryRunResult<Result> {
  const json = JSON.stringify(body);
  const [debouncedInput, setDebouncedInput] = useState({ json, body });
  // biome-ignore lint/correctness/useExhaustiveDependencies: two bodies with the same JSON are equal.
  useEffect(() => {
    const timer = window.setTimeout(() => setDebouncedInput({ json, body }), DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [json]);
  const { data, error } = useQuery({
    queryKey: [...queryKey, debouncedInput.json],
    enabled: debouncedInput.body !== null,
    retry: false,
    // Never cached, because prices and balances change.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => send(debouncedInput.body as Body, signal),
  });
  if (debouncedInput.body === null) return { result: null, problem: null };
  return { result: error ? null : (data ?? null), problem: error ? asProblem(error) : null };
}
