// What the server says of a body before it is sent. It is asked when nothing was typed for a while, and never for no body.
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type Problem } from '@/api/problem';

/** Typing is tried after this pause. */
const PAUSE_MS = 500;

interface DryRun<Body, Answer> {
  /** Of the question; the body is a part of it. */
  queryKey: QueryKey;
  /** Null where too little was typed to ask. */
  body: Body | null;
  send: (body: Body, signal: AbortSignal) => Promise<Answer>;
}

interface Tried<Answer> {
  /** Of the last body that was answered; it stays in view while the next one is asked. */
  answer: Answer | null;
  problem: Problem | null;
}

export function useDryRun<Body, Answer>({ queryKey, body, send }: DryRun<Body, Answer>): Tried<Answer> {
  const text = JSON.stringify(body);
  const [asked, setAsked] = useState({ text, body });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a body of the same text is the same.
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked({ text, body }), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery({
    queryKey: [...queryKey, asked.text],
    enabled: asked.body !== null,
    retry: false,
    // It is true of this moment only.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => send(asked.body as Body, signal),
  });
  if (asked.body === null) return { answer: null, problem: null };
  return { answer: error ? null : (data ?? null), problem: error ? asProblem(error) : null };
}
