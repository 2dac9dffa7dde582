// The state of the dialog of an action that cannot be undone: the server previews the action, the user confirms it, then it runs.
// It must never run without a preview, because the user has to see the effect first.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { useSubmit } from './useSubmit';

interface PreviewedActionProps<Preview> {
  /** Requests the effect of the action, for example with a dry run. */
  preview: (signal: AbortSignal) => Promise<Preview>;
  /** Runs the action. The idempotency key stays the same until it succeeds. */
  run: (key: string) => Promise<unknown>;
  /** What the user must still do before the action can run, such as typing a name; shown on the disabled button. */
  missingConfirmation?: string | false;
  /** Text of the success toast. */
  success?: string | undefined;
  onClose: () => void;
  onDone: () => void;
}

interface PreviewResult<Preview> {
  /** How often the preview was requested before. */
  requestCount: number;
  preview: Preview | null;
  problem: Problem | null;
}

/** Whether a retry may succeed: an outage may end, and the user may confirm their identity after having canceled that. */
const canRetry = (problem: Problem) => problem.isTransient || problem.code === 'confirmation_required';

export function usePreviewedAction<Preview>(props: PreviewedActionProps<Preview>) {
  const { t } = useTranslation();
  const { run, missingConfirmation = false, success, onClose, onDone } = props;
  // The first `preview` stays: it must not be requested again only because the parent renders again.
  const [preview] = useState(() => props.preview);
  const [requestCount, setRequestCount] = useState(0);
  const [result, setResult] = useState<PreviewResult<Preview> | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    preview(signal).then(
      (preview) => signal.aborted || setResult({ requestCount, preview, problem: null }),
      (error: unknown) => {
        if (signal.aborted || isAborted(error)) return;
        setResult({ requestCount, preview: null, problem: asProblem(error) });
      },
    );
    return () => controller.abort();
  }, [preview, requestCount]);
  const isPreviewing = result?.requestCount !== requestCount;
  const previewProblem = isPreviewing ? null : result.problem;
  const disabledReason = isPreviewing ? t('run.loadingPreview') : (previewProblem?.message ?? missingConfirmation);
  const previewAgain = () => setRequestCount((count) => count + 1);

  const submission = useSubmit({
    send: (_, key) => run(key),
    success,
    onProblem: (problem) => {
      // The record has changed after the preview: preview again.
      if (!canRetry(problem)) previewAgain();
    },
    onDone: () => {
      // The record is deleted: unmount the dialog before the parent refetches, otherwise the dialog would request the record again.
      flushSync(onClose);
      onDone();
    },
  });

  return {
    /** The last preview; it stays while the next one is loading. */
    preview: result?.preview ?? null,
    problem: previewProblem ?? submission.problem,
    /** Previews again; undefined unless a retry may help. */
    retry: previewProblem && canRetry(previewProblem) ? previewAgain : undefined,
    isPending: submission.isPending,
    /** Why the action cannot run now. */
    disabledReason,
    start: async () => {
      if (!disabledReason) await submission.submit();
    },
  };
}
