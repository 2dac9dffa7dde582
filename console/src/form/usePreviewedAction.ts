// State of a dialog for an action that cannot be undone: the server previews it, the user confirms it, then it runs. It never runs
// without a preview, so that the user has seen the effect before confirming.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { useSubmit } from './useSubmit';

interface PreviewedActionProps<Preview> {
  /** Requests what the action would do, such as by a dry run. */
  preview: (signal: AbortSignal) => Promise<Preview>;
  /** Runs the action. The idempotency key stays the same until it succeeds. */
  run: (key: string) => Promise<unknown>;
  /** What the user still has to do before confirming, such as typing a name. */
  missingConfirmation?: string | false;
  /** Text of the success toast. */
  success?: string | undefined;
  onClose: () => void;
  onDone: () => void;
}

interface PreviewResult<Preview> {
  round: number;
  preview: Preview | null;
  problem: Problem | null;
}

/** Whether a retry may succeed: an outage ends, and a canceled confirmation can be given. */
const canRetry = (problem: Problem) => problem.isTransient || problem.code === 'confirmation_required';

export function usePreviewedAction<Preview>(props: PreviewedActionProps<Preview>) {
  const { t } = useTranslation();
  const { run, missingConfirmation = false, success, onClose, onDone } = props;
  // The dialog keeps the record that it was opened for: a new render of the parent must not preview again.
  const [preview] = useState(() => props.preview);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<PreviewResult<Preview> | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    preview(signal).then(
      (preview) => signal.aborted || setAnswer({ round, preview, problem: null }),
      (error: unknown) => {
        if (signal.aborted || isAborted(error)) return;
        setAnswer({ round, preview: null, problem: asProblem(error) });
      },
    );
    return () => controller.abort();
  }, [preview, round]);
  const isPreviewing = answer?.round !== round;
  const previewProblem = isPreviewing ? null : answer.problem;
  const disabledReason = isPreviewing ? t('run.trying') : (previewProblem?.message ?? missingConfirmation);
  const previewAgain = () => setRound((round) => round + 1);

  const running = useSubmit({
    send: (_, key) => run(key),
    success,
    onProblem: (problem) => {
      // The record has changed since the preview: preview again.
      if (!canRetry(problem)) previewAgain();
    },
    onDone: () => {
      // The record is gone: unmount the dialog before the parent refetches, so that it does not request the record again.
      flushSync(onClose);
      onDone();
    },
  });

  return {
    /** The last preview; kept while the next one is loading. */
    preview: answer?.preview ?? null,
    problem: previewProblem ?? running.problem,
    /** Previews again; undefined unless a retry may help. */
    retry: previewProblem && canRetry(previewProblem) ? previewAgain : undefined,
    isPending: running.isPending,
    /** Why the action cannot run now. */
    disabledReason,
    start: async () => {
      if (!disabledReason) await running.submit();
    },
  };
}
