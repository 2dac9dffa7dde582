// The course of a dialog over one action that cannot be undone: the server previews it, the person confirms it, it runs. It
// never runs without a preview, so no one confirms what they have not seen.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { useSubmit } from './useSubmit';

interface PreviewedActionProps<Preview> {
  /** Asks the server what the action would do, such as by a dry run. */
  preview: (signal: AbortSignal) => Promise<Preview>;
  /** Under a key that stays the same until it is done. */
  run: (key: string) => Promise<unknown>;
  /** Why the person has not confirmed it yet. */
  unconfirmed?: string | false;
  /** The toast after the run. */
  success?: string | undefined;
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

  const running = useSubmit({
    send: (_, key) => run(key),
    success,
    onProblem: (problem) => {
      // The record has changed since the preview: the person sees what the action would do now.
      if (!canTryAgain(problem)) previewAgain();
    },
    onDone: () => {
      // The record is gone: the dialog must not ask for it again once its owner reads the list.
      flushSync(onClose);
      onDone();
    },
  });

  return {
    /** Of the last answer; it stays in view while the server is asked again. */
    preview: answer?.preview ?? null,
    problem: previewProblem ?? running.problem,
    /** Previews again, where that can help. */
    retry: previewProblem && canTryAgain(previewProblem) ? previewAgain : undefined,
    isPending: running.isPending,
    /** Why it cannot run now. */
    refusal,
    start: async () => {
      if (!refusal) await running.submit();
    },
  };
}
