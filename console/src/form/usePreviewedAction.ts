// The state of the dialog of an action that cannot be undone: the server previews the effect, the user confirms, and the action
// runs. The action must never run without a preview, because the user has to see the effect first.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { useSubmit } from './useSubmit';

interface PreviewedActionProps<Preview> {
  /** Requests the effect of the action, for example with a dry run. */
  requestPreview: (signal: AbortSignal) => Promise<Preview>;
  /** Runs the action. The idempotency key stays the same until the action has succeeded. */
  runAction: (key: string) => Promise<unknown>;
  /** Text of the disabled button: what the user must still do before the action can run, such as typing a name. */
  missingConfirmation?: string | false;
  /** Text of the success toast. */
  successMessage?: string | undefined;
  onClose: () => void;
  onDone: () => void;
}

interface PreviewResult<Preview> {
  /** The number of preview requests before the request of this result. */
  requestCount: number;
  preview: Preview | null;
  problem: Problem | null;
}

/** Whether the same request may succeed later: an outage may end, and the user may confirm their identity in the second attempt. */
const canRetry = (problem: Problem) => problem.isTransient || problem.code === 'confirmation_required';

export function usePreviewedAction<Preview>(props: PreviewedActionProps<Preview>) {
  const { t } = useTranslation();
  const { runAction, missingConfirmation = false, successMessage, onClose, onDone } = props;
  // Keeps the first `requestPreview`: a new render of the parent must not request the preview again.
  const [requestPreview] = useState(() => props.requestPreview);
  const [requestCount, setRequestCount] = useState(0);
  const [result, setResult] = useState<PreviewResult<Preview> | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    requestPreview(signal).then(
      (preview) => signal.aborted || setResult({ requestCount, preview, problem: null }),
      (error: unknown) => {
        if (signal.aborted || isAborted(error)) return;
        setResult({ requestCount, preview: null, problem: asProblem(error) });
      },
    );
    return () => controller.abort();
  }, [requestPreview, requestCount]);
  const isPreviewing = result?.requestCount !== requestCount;
  const previewProblem = isPreviewing ? null : result.problem;
  const disabledReason = isPreviewing ? t('run.loadingPreview') : (previewProblem?.message ?? missingConfirmation);
  const requestPreviewAgain = () => setRequestCount((count) => count + 1);

  const submission = useSubmit({
    send: (_, key) => runAction(key),
    successMessage,
    onProblem: (problem) => {
      // The record may have changed after the preview, so request the preview again.
      if (!canRetry(problem)) requestPreviewAgain();
    },
    onDone: () => {
      // Unmount the dialog before the parent refetches: otherwise the dialog would request the record that was just deleted.
      flushSync(onClose);
      onDone();
    },
  });

  return {
    /** The last preview. It stays while the next preview is loading. */
    preview: result?.preview ?? null,
    problem: previewProblem ?? submission.problem,
    /** Requests the preview again. Undefined if this cannot succeed. */
    retry: previewProblem && canRetry(previewProblem) ? requestPreviewAgain : undefined,
    isPending: submission.isPending,
    /** Why the action cannot run now; false if it can. */
    disabledReason,
    confirm: async () => {
      if (!disabledReason) await submission.submit();
    },
  };
}
