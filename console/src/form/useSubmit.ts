// Sends one call that changes data: one at a time, under one idempotency key until it succeeds. Keeps the server's errors for the
// form and invalidates queries afterwards. Every form and every button with a call uses it.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { useRef, useState } from 'react';
import { asProblem, isAborted, Problem } from '@/api/problem';
import { useBlockClosing } from '@/ui/Dialog';
import { type Toast, toast } from '@/ui/toasts';
import { type FieldErrors, KEY_REUSED, NO_ERRORS, STALE } from './problems';

/** Longest wait for refetched queries before a dialog closes: a query that retries during an outage must not keep it open. */
const REFETCH_WAIT_MS = 1_000;

type Message = Omit<Toast, 'id'>;

export interface SubmitOptions<Answer, Variables> {
  /** Sends the call. The idempotency key stays the same until it succeeds, so that a retry is not executed twice. */
  send: (variables: Variables, key: string) => Promise<Answer>;
  /** Text of the success toast. */
  success?: string | ((answer: Answer, variables: Variables) => string | Message | null) | undefined;
  /** Whether an answer is an intermediate step: the key is kept for the next step, so that the final effect happens once. */
  isStep?: ((answer: Answer) => boolean) | undefined;
  /** Queries to invalidate before `onDone`. */
  invalidates?: readonly QueryKey[] | undefined;
  /** Called after success. `isPending` is true until it returns, so that a navigation in it does not warn about unsaved changes. */
  onDone?: ((answer: Answer, variables: Variables) => void) | undefined;
  /** Called before a problem is shown, for example to select the tab of its first field. */
  onProblem?: ((problem: Problem, variables: Variables) => void) | undefined;
  /** Whether the form renders a problem (default), or a toast shows it. */
  showProblemAs?: 'form' | 'toast';
}

export interface Submit<Answer, Variables> {
  /** Sends the call unless one is pending. Resolves to the answer, or to null after a problem. Never rejects. */
  submit: (variables: Variables) => Promise<Answer | null>;
  isPending: boolean;
  /** The problem of the last call; kept until the next one is answered. */
  problem: Problem | null;
  errors: FieldErrors;
  /** Another user has changed the record since it was loaded. */
  isStale: boolean;
  /** Clears the problem, for example after an edit. */
  clearProblem: () => void;
}

/**
 * Does not use TanStack's `useMutation`, because that sends one tick after the click, pauses calls while the browser reports that
 * it is offline instead of failing, and keeps variables, such as passwords, in a cache.
 */
export function useSubmit<Answer = unknown, Variables = void>(
  options: SubmitOptions<Answer, Variables>,
): Submit<Answer, Variables> {
  const queries = useQueryClient();
  const key = useRef('');
  const isSending = useRef(false);
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useBlockClosing(isPending);

  const send = async (variables: Variables): Promise<Answer> => {
    key.current ||= crypto.randomUUID();
    const answer = await options.send(variables, key.current);
    // Success: a form that stays open sends its next call under another key.
    if (!options.isStep?.(answer)) key.current = '';
    const message = typeof options.success === 'function' ? options.success(answer, variables) : options.success;
    if (message) toast(typeof message === 'string' ? { tone: 'success', text: message } : message);
    await waitForRefetch((options.invalidates ?? []).map((queryKey) => queries.invalidateQueries({ queryKey })));
    return answer;
  };
  const handleError = (error: unknown, variables: Variables) => {
    if (isAborted(error)) return;
    const problem = withReadableKeyError(asProblem(error));
    // The earlier call did succeed, and the message says so: the next call needs another key.
    if (problem.code === KEY_REUSED) key.current = '';
    options.onProblem?.(problem, variables);
    if (options.showProblemAs === 'toast') toast({ tone: 'error', text: problem.message });
    else setProblem(problem);
  };
  const submit = async (variables: Variables): Promise<Answer | null> => {
    // A second click may come before the first one is rendered.
    if (isSending.current) return null;
    isSending.current = true;
    setIsPending(true);
    try {
      const result = await send(variables).then(
        (answer) => ({ answer }),
        (error: unknown) => handleError(error, variables),
      );
      if (!result) return null;
      setProblem(null);
      options.onDone?.(result.answer, variables);
      return result.answer;
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
    clearProblem: () => setProblem(null),
  };
}

/** Replaces the error about a reused idempotency key, which users do not know, by: an earlier attempt was saved. */
function withReadableKeyError(problem: Problem): Problem {
  if (problem.code !== KEY_REUSED) return problem;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: i18next.t('ui.savedBefore') });
}

async function waitForRefetch(refetches: readonly Promise<void>[]): Promise<void> {
  if (refetches.length === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, REFETCH_WAIT_MS);
  });
  await Promise.race([Promise.allSettled(refetches), timeout]);
  clearTimeout(timer);
}
