// The course of one call that changes something: it is sent once at a time and under one key until it is done, what the server
// refused is held for the form, and what it changed is read again. Every form and every button that calls goes through here.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { useRef, useState } from 'react';
import { asProblem, isAbandoned, Problem } from '@/api/problem';
import { useHold } from '@/ui/Dialog';
import { type Toast, toast } from '@/ui/toasts';
import { type FieldErrors, KEY_USED, NO_ERRORS, STALE } from './problems';

/** A dialog closes over what is fresh, or after this pause: a query that waits for the database must not hold it open. */
const FRESH_WITHIN_MS = 1_000;

type Message = Omit<Toast, 'id'>;

export interface SubmitOptions<Answer, Variables> {
  /** Sends it. `key` stays the same until it is done, so that a repeated call is answered and not done again. */
  send: (variables: Variables, key: string) => Promise<Answer>;
  /** The toast once it is done. */
  success?: string | ((answer: Answer, variables: Variables) => string | Message | null) | undefined;
  /** Whether an answer is one step of several: the key stays for the next, so that what is done at the end is done once. */
  isStep?: ((answer: Answer) => boolean) | undefined;
  /** What is read again before it counts as done. */
  invalidates?: readonly QueryKey[] | undefined;
  /** Once it is done; it is pending until this returns, so that a screen that leads on from here asks nothing. */
  onDone?: ((answer: Answer, variables: Variables) => void) | undefined;
  /** Before a problem is shown, such as to lead to the tab of its first field. */
  onProblem?: ((problem: Problem, variables: Variables) => void) | undefined;
  /** Where a problem is shown: in the form, by who draws it, or as a toast where there is no form. */
  shows?: 'form' | 'toast';
}

export interface Submit<Answer, Variables> {
  /** Sends, once at a time; the answer, or null where it was refused. It never rejects. */
  submit: (variables: Variables) => Promise<Answer | null>;
  isPending: boolean;
  /** What was wrong with the last call; it stays in view until the next one is answered. */
  problem: Problem | null;
  errors: FieldErrors;
  /** The record was changed by another person since it was read. */
  isStale: boolean;
  /** What was wrong may be right now. */
  forget: () => void;
}

/**
 * Not a mutation of TanStack's: that sends a moment after the press, holds calls while the browser says that it is offline
 * instead of failing, and keeps what was sent, such as passwords, in a cache.
 */
export function useSubmit<Answer = unknown, Variables = void>(
  options: SubmitOptions<Answer, Variables>,
): Submit<Answer, Variables> {
  const queries = useQueryClient();
  const key = useRef('');
  const isSending = useRef(false);
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useHold(isPending);

  const send = async (variables: Variables): Promise<Answer> => {
    key.current ||= crypto.randomUUID();
    const answer = await options.send(variables, key.current);
    // It is done: a form that stays open sends something else next.
    if (!options.isStep?.(answer)) key.current = '';
    const message = typeof options.success === 'function' ? options.success(answer, variables) : options.success;
    if (message) toast(typeof message === 'string' ? { tone: 'success', text: message } : message);
    await freshened((options.invalidates ?? []).map((queryKey) => queries.invalidateQueries({ queryKey })));
    return answer;
  };
  const refuse = (error: unknown, variables: Variables) => {
    if (isAbandoned(error)) return;
    const problem = withoutKey(asProblem(error));
    // What was sent before was done after all; the person knows it now, and what they send next is something else.
    if (problem.code === KEY_USED) key.current = '';
    options.onProblem?.(problem, variables);
    if (options.shows === 'toast') toast({ tone: 'error', text: problem.message });
    else setProblem(problem);
  };
  const submit = async (variables: Variables): Promise<Answer | null> => {
    // A second press may come before the first is drawn.
    if (isSending.current) return null;
    isSending.current = true;
    setIsPending(true);
    try {
      const sent = await send(variables).then(
        (answer) => ({ answer }),
        (error: unknown) => refuse(error, variables),
      );
      if (!sent) return null;
      setProblem(null);
      options.onDone?.(sent.answer, variables);
      return sent.answer;
    } finally {
      isSending.current = false;
      setIsPending(false);
    }
  };
  return {
    submit,
    isPending,
    problem,
    errors: problem?.fields ?? NO_ERRORS,
    isStale: problem?.code === STALE,
    forget: () => setProblem(null),
  };
}

/** A key is nothing that a person knows of: where it was used up, an earlier try was done without an answer. */
function withoutKey(problem: Problem): Problem {
  if (problem.code !== KEY_USED) return problem;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: i18next.t('ui.savedBefore') });
}

async function freshened(reads: readonly Promise<void>[]): Promise<void> {
  if (reads.length === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise((resolve) => {
    timer = setTimeout(resolve, FRESH_WITHIN_MS);
  });
  await Promise.race([Promise.allSettled(reads), pause]);
  clearTimeout(timer);
}
