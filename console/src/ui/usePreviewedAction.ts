// The course of a dialog over one action that cannot be undone: the server previews it, the person confirms it, it runs. It
// never runs without a preview, so no one confirms what they have not seen.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { toast } from './toasts';

interface PreviewedActionProps<Preview> {
  /** Asks the server what the action would do, such as by a dry run. */
  preview: (signal: AbortSignal) => Promise<Preview>;
  run: () => Promise<unknown>;
  /** Why the person has not confirmed it yet. */
  unconfirmed?: string | false;
  /** The toast after the run. */
  success: string;
  onClose: () => void;
  onDone: () => void;
}

interface Answer<Preview> {
  round: number;
  preview: Preview | null;
  problem: Problem | null;
}

/** Whether the same call can be answered otherwise: an outage ends, and a password that was not typed can be. */
const canTryAgain = (problem: Problem) => problem.isPassing || problem.code === 'confirmation_required';

export function usePreviewedAction<Preview>(props: PreviewedActionProps<Preview>) {
  const { t } = useTranslation();
  const { run, unconfirmed = false, success, onClose, onDone } = props;
  // The dialog is of the record that it was opened for: a parent that renders again previews nothing again.
  const [preview] = useState(() => props.preview);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<Answer<Preview> | null>(null);
  const [busy, setBusy] = useState(false);
  const [runProblem, setRunProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    preview(signal).then(
      (preview) => signal.aborted || setAnswer({ round, preview, problem: null }),
      (error: unknown) => {
        if (signal.aborted || isAbandoned(error)) return;
        setAnswer({ round, preview: null, problem: asProblem(error) });
      },
    );
    return () => controller.abort();
  }, [preview, round]);
  const isTrying = answer?.round !== round;
  const previewProblem = isTrying ? null : answer.problem;
  const refusal = isTrying ? t('run.trying') : (previewProblem?.message ?? unconfirmed);
  const previewAgain = () => setRound((round) => round + 1);

  const start = async () => {
    if (refusal || busy) return;
    setBusy(true);
    setRunProblem(null);
    try {
      await run();
    } catch (error) {
      const problem = asProblem(error);
      setRunProblem(problem);
      setBusy(false);
      // The record has changed since the preview: the person sees what the action would do now.
      if (!canTryAgain(problem)) previewAgain();
      return;
    }
    toast({ tone: 'success', text: success });
    // The record is gone: the dialog must not ask for it again once its owner reads the list.
    flushSync(onClose);
    onDone();
  };

  return {
    /** Of the last answer; it stays in view while the server is asked again. */
    preview: answer?.preview ?? null,
    problem: previewProblem ?? runProblem,
    /** Previews again, where that can help. */
    retry: previewProblem && canTryAgain(previewProblem) ? previewAgain : undefined,
    busy,
    /** Why it cannot run now. */
    refusal,
    start,
  };
}
