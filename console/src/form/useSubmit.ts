// Sends a call that changes data. It sends one call at a time and uses one idempotency key until the call succeeds. Then it
// invalidates queries. It returns the server's errors to the form. Every form and every button that calls the server must use it.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { useRef, useState } from 'react';
import { asProblem, isAborted, Problem } from '@/api/problem';
import { useBlockClosing } from '@/ui/Dialog';
import { type Toast, toast } from '@/ui/toasts';
import { type FieldErrors, KEY_REUSED_CODE, NO_ERRORS, STALE_RECORD_CODE } from './problems';

/** How long a dialog waits for refetched queries before it closes: during an outage they are retried for minutes. */
const REFETCH_WAIT_MS = 1_000;

type ToastContent = Omit<Toast, 'id'>;

export interface SubmitOptions<Result, Variables> {
  /** Sends the call. `key` stays the same until the call succeeds, so that the server does not execute a retry twice. */
  send: (variables: Variables, key: string) => Promise<Result>;
  /** Text of the success toast. */
  success?: string | ((result: Result, variables: Variables) => string | ToastContent | null) | undefined;
  /** Whether the result belongs to an intermediate step. The next step then uses the same key, so the final effect happens once. */
  isIntermediate?: ((result: Result) => boolean) | undefined;
  /** Queries to invalidate before `onDone`. */
  invalidates?: readonly QueryKey[] | undefined;
  /** Called after success. It may navigate without a warning about unsaved changes: `isPending` is true until it returns. */
  onDone?: ((result: Result, variables: Variables) => void) | undefined;
  /** Called before a problem is shown, for example to select the tab of its first field. */
  onProblem?: ((problem: Problem, variables: Variables) => void) | undefined;
  /** Whether the caller renders the problem (default) or a toast shows it. */
  showProblemAs?: 'form' | 'toast';
}

export interface Submit<Result, Variables> {
  /** Sends the call unless one is pending. Resolves to its result, or to null after a problem. Never rejects. */
  submit: (variables: Variables) => Promise<Result | null>;
  isPending: boolean;
  /** The problem of the last call; it stays until the next call ends. */
  problem: Problem | null;
  errors: FieldErrors;
  /** Whether another user has changed the record after it was loaded. */
  isStale: boolean;
  /** Clears the problem, for example after an edit. */
  clearProblem: () => void;
}

/**
 * Not built on TanStack's `useMutation`: that sends one tick after the click, waits instead of failing while the browser is
 * offline, and stores the variables, such as passwords, in a cache.
 */
export function useSubmit<Result = unknown, Variables = void>(
  options: SubmitOptions<Result, Variables>,
): Submit<Result, Variables> {
  const queryClient = useQueryClient();
  const key = useRef('');
  const isSending = useRef(false);
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useBlockClosing(isPending);

  const send = async (variables: Variables): Promise<Result> => {
    key.current ||= crypto.randomUUID();
    const result = await options.send(variables, key.current);
    // After a success the next call needs another key, because the form may stay open.
    if (!options.isIntermediate?.(result)) key.current = '';
    const message = typeof options.success === 'function' ? options.success(result, variables) : options.success;
    if (message) toast(typeof message === 'string' ? { tone: 'success', text: message } : message);
    await waitForRefetch((options.invalidates ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    return result;
  };
  const handleError = (error: unknown, variables: Variables) => {
    if (isAborted(error)) return;
    const problem = withReadableKeyError(asProblem(error));
    // An earlier call with this key has succeeded, as the message explains. The next call needs another key.
    if (problem.code === KEY_REUSED_CODE) key.current = '';
    options.onProblem?.(problem, variables);
    if (options.showProblemAs === 'toast') toast({ tone: 'error', text: problem.message });
    else setProblem(problem);
  };
  const submit = async (variables: Variables): Promise<Result | null> => {
    // A second click may arrive before React has rendered the disabled button.
    if (isSending.current) return null;
    isSending.current = true;
    setIsPending(true);
    try {
      const success = await send(variables).then(
        (result) => ({ result }),
        (error: unknown) => handleError(error, variables),
      );
      if (!success) return null;
      setProblem(null);
      options.onDone?.(success.result, variables);
      return success.result;
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
    isStale: problem?.code === STALE_RECORD_CODE,
    clearProblem: () => setProblem(null),
  };
}

/** Replaces the message about a reused idempotency key, a term that users do not know, by one that an earlier attempt was saved. */
function withReadableKeyError(problem: Problem): Problem {
  if (problem.code !== KEY_REUSED_CODE) return problem;
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
