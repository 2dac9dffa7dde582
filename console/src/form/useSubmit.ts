// Sends a request that changes data: one request at a time, with the same idempotency key until a request has succeeded. Then it
// invalidates queries. It returns the server's errors to the form. Every form and every button that changes data must use it.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { useRef, useState } from 'react';
import { asProblem, isAborted, Problem } from '@/api/problem';
import { useBlockClosing } from '@/ui/Dialog';
import { type Toast, toast } from '@/ui/toasts';
import { type FieldErrors, KEY_REUSED_CODE, NO_ERRORS, STALE_RECORD_CODE } from './problems';

/** How long a dialog waits for refetched queries before it closes, because during an outage they are retried for minutes. */
const MAX_REFETCH_WAIT_MS = 1_000;

type ToastContent = Omit<Toast, 'id'>;

export interface SubmitOptions<Result, Variables> {
  /** Sends the request. The key stays the same until a request has succeeded, so that the server does not apply a retry twice. */
  send: (variables: Variables, idempotencyKey: string) => Promise<Result>;
  /** Text of the success toast. */
  successMessage?: string | ((result: Result, variables: Variables) => string | ToastContent | null) | undefined;
  /** Whether the result belongs to an intermediate step. The next step then uses the same key, so that the effect happens once. */
  isIntermediateResult?: ((result: Result) => boolean) | undefined;
  /** The keys of the queries that are invalidated before `onDone` is called. */
  invalidatedQueries?: readonly QueryKey[] | undefined;
  /** Called after success. It may navigate to another screen: `isPending` stays true until it returns. */
  onDone?: ((result: Result, variables: Variables) => void) | undefined;
  /** Called before a problem is shown, for example to select the tab of its first field. */
  onProblem?: ((problem: Problem, variables: Variables) => void) | undefined;
  /** `form` (default): the caller renders the problem. `toast`: a toast shows the problem. */
  showProblemAs?: 'form' | 'toast';
}

export interface Submission<Result, Variables> {
  /** Sends the request unless one is pending. Resolves to its result, or to null after a problem. Never rejects. */
  submit: (variables: Variables) => Promise<Result | null>;
  isPending: boolean;
  /** The problem of the last request. It stays until the next request ends. */
  problem: Problem | null;
  errors: FieldErrors;
  /** Whether another user has changed the record after it was loaded. */
  isStale: boolean;
  clearProblem: () => void;
}

/**
 * TanStack's `useMutation` is not used, because it sends the request one tick after the click, waits instead of failing while the
 * browser is offline, and stores the variables, such as passwords, in a cache.
 */
export function useSubmit<Result = unknown, Variables = void>(
  options: SubmitOptions<Result, Variables>,
): Submission<Result, Variables> {
  const queryClient = useQueryClient();
  const idempotencyKey = useRef('');
  const isSending = useRef(false);
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useBlockClosing(isPending);

  const send = async (variables: Variables): Promise<Result> => {
    idempotencyKey.current ||= crypto.randomUUID();
    const result = await options.send(variables, idempotencyKey.current);
    // After a success the next request needs another key, because the form may stay open.
    if (!options.isIntermediateResult?.(result)) idempotencyKey.current = '';
    const message =
      typeof options.successMessage === 'function' ? options.successMessage(result, variables) : options.successMessage;
    if (message) toast(typeof message === 'string' ? { tone: 'success', text: message } : message);
    await waitForRefetch(
      (options.invalidatedQueries ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
    return result;
  };
  const handleError = (error: unknown, variables: Variables) => {
    if (isAborted(error)) return;
    const problem = explainReusedKey(asProblem(error));
    // An earlier request with this key has succeeded, as the message explains. The next request needs another key.
    if (problem.code === KEY_REUSED_CODE) idempotencyKey.current = '';
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

/** Replaces the message about a reused idempotency key, a term that users do not know. The new message explains the consequence. */
function explainReusedKey(problem: Problem): Problem {
  if (problem.code !== KEY_REUSED_CODE) return problem;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: i18next.t('ui.earlierAttemptSaved') });
}

async function waitForRefetch(refetches: readonly Promise<void>[]): Promise<void> {
  if (refetches.length === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, MAX_REFETCH_WAIT_MS);
  });
  await Promise.race([Promise.allSettled(refetches), timeout]);
  clearTimeout(timer);
}
