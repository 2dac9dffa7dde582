// State of one action: preview by dry runs, the run in chunks, and the outcome. Closing the dialog aborts a preview, never a run.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber } from '@/i18n/format';
import { toast } from '@/ui/toasts';
import type { StandardDialogProps } from './ActionDialog';
import { type Action, type BulkOutcome, type Input, type UndoOffer, undoOffers } from './action';
import { allSkipped, continueRun, mergeOutcomes, planRun, processedCount, singleOutcome } from './run';

/** Delay between an edit and the next dry run. */
const DEBOUNCE_MS = 300;

export function useAction<Row extends { id: number }>(props: StandardDialogProps<Row>) {
  const { onClose, onDone } = props;
  // The dialog keeps the action and the records that it was opened for: a new render of the parent must not preview again.
  const [{ action, ids, row }] = useState(props);
  const { t } = useTranslation();
  const [input, setInput] = useState<Input>(action.initial ?? {});
  const [done, setDone] = useState(0);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  // The run is kept after a failure, so that a retry sends the remaining chunks under their first keys.
  const [run] = useState(() => planRun(ids, action.chunkSize));

  useEffect(() => {
    if (!row || !action.loadInitial) return;
    let isMounted = true;
    action.loadInitial(row).then(
      (initial) => isMounted && setInput((edited) => ({ ...initial, ...edited })),
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [action, row]);

  const undo = (undos: readonly UndoOffer[]) =>
    undos.length > 0 ? { label: t('ui.undo'), run: () => void undoAll(undos, onDone, t('ui.undone')) } : undefined;

  const finish = (answer: unknown) => {
    onDone();
    const result = row ? null : mergeOutcomes(run);
    if (result && (result.skipped.length > 0 || result.totals.returned !== '0')) {
      setOutcome(result);
      return;
    }
    const changed = ids.filter((id) => !result?.skipped.some((skip) => skip.id === id));
    const text = t(`actions.${action.name as 'cancel'}.done`, {
      count: changed.length,
      shown: formatNumber(changed.length),
      id: row?.id,
    });
    const undoAction = undo(undoOffers(result ?? answer));
    toast({ tone: 'success', text, ...(undoAction ? { action: undoAction } : {}) });
    onClose();
  };
  const running = useSubmit<unknown>({
    // Every chunk keeps its key over retries.
    send: () => {
      const options = { dryRun: false };
      if (row) return action.one(row.id, input, { ...options, key: run.chunks[0]?.key ?? crypto.randomUUID() });
      return continueRun(
        run,
        (chunk, key) => action.many(chunk, input, { ...options, key, total: ids.length }),
        setDone,
      );
    },
    onProblem: () => {
      if (processedCount(run) > 0) onDone();
    },
    onDone: finish,
  });
  const { preview, isPreviewing, previewedCount, previewProblem, rejection, retry } = usePreview(
    action,
    ids,
    row,
    input,
    running.isPending || outcome !== null,
  );

  /** An edit clears the errors of the last run. */
  const change = (next: Input) => {
    setInput(next);
    running.clearProblem();
  };
  const undoOutcome = outcome && undo(undoOffers(outcome));
  return {
    input,
    setInput: change,
    isPending: running.isPending,
    done,
    problem: running.problem,
    outcome,
    undoOutcome,
    preview,
    isPreviewing,
    previewedCount,
    previewProblem,
    rejection,
    retry,
    start: () => running.submit(),
  };
}

/** Undoes each request. Records that cannot be restored any more are reported in a toast; the others are restored. */
async function undoAll(undos: readonly UndoOffer[], onDone: () => void, text: string) {
  let restored = 0;
  const errors: string[] = [];
  for (const { request_id } of undos) {
    try {
      const outcome = await unwrap(
        api.POST('/api/v1/admin/undo', {
          params: {},
          body: { request_id },
          ...withIdempotencyKey(crypto.randomUUID()),
        }),
      );
      restored += outcome.processed;
      errors.push(...outcome.skipped.map((skip) => skip.message));
    } catch (error) {
      errors.push(asProblem(error).message);
    }
  }
  if (restored > 0) toast({ tone: 'success', text });
  for (const message of new Set(errors)) toast({ tone: 'error', text: message });
  onDone();
}

/** The result of a dry run, and the input that it was made with. */
interface DryRun {
  input: Input;
  /** Number of retries with the same input. */
  round: number;
  preview: BulkOutcome | null;
  /** A transient failure of the dry run, after which a retry may help. */
  previewProblem: Problem | null;
  /** Why the server would reject the action. */
  rejection: Problem | null;
}

/**
 * Makes a dry run whenever the form changes. A preview of an older input is never shown: `isPreviewing` is true and `preview` is
 * null until the server has answered for the current input. `previewedCount` counts the records of the chunks so far. While
 * `isPaused` no dry run is made: the server would reject one that arrives after the run.
 */
function usePreview<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: Input,
  isPaused: boolean,
) {
  const [dryRun, setDryRun] = useState<DryRun | null>(null);
  const [previewedCount, setPreviewedCount] = useState(0);
  const [round, setRound] = useState(0);
  const isFirst = useRef(true);
  const current = dryRun?.input === input && dryRun.round === round ? dryRun : null;
  const isAnswered = current !== null;
  useEffect(() => {
    if (isPaused || isAnswered) return;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = async () => {
      setPreviewedCount(0);
      const result = await makeDryRun(
        action,
        ids,
        row,
        input,
        signal,
        (count) => !signal.aborted && setPreviewedCount(count),
      );
      if (!signal.aborted) setDryRun({ input, round, ...result });
    };
    const timer = window.setTimeout(attempt, isFirst.current ? 0 : DEBOUNCE_MS);
    isFirst.current = false;
    signal.addEventListener('abort', () => window.clearTimeout(timer));
    return () => controller.abort();
  }, [action, ids, row, input, round, isPaused, isAnswered]);
  return {
    preview: current?.preview ?? null,
    previewProblem: current?.previewProblem ?? null,
    rejection: current?.rejection ?? null,
    isPreviewing: !current,
    previewedCount,
    retry: () => setRound((round) => round + 1),
  };
}

type DryRunResult = Pick<DryRun, 'preview' | 'previewProblem' | 'rejection'>;

const NO_RESULT: DryRunResult = { preview: null, previewProblem: null, rejection: null };

/** Makes one dry run, in chunks when one call cannot have all records. */
async function makeDryRun<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: Input,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<DryRunResult> {
  if (action.isReady && !action.isReady(input)) return NO_RESULT;
  const call = (chunk: readonly number[], key: string) => action.many(chunk, input, { dryRun: true, key, signal });
  try {
    if (row && action.previewsOne) {
      const answer = await action.one(row.id, input, { dryRun: true, key: crypto.randomUUID(), signal });
      return { ...NO_RESULT, preview: singleOutcome(answer) };
    }
    const limit = action.chunkSize ?? MAX_IDS;
    if (ids.length <= limit) return { ...NO_RESULT, preview: await call(ids, crypto.randomUUID()) };
    const run = planRun(ids, limit);
    await continueRun(run, call, onProgress);
    return { ...NO_RESULT, preview: mergeOutcomes(run) };
  } catch (error) {
    if (isAborted(error)) return NO_RESULT;
    const problem = asProblem(error);
    if (problem.isTransient) return { ...NO_RESULT, previewProblem: problem };
    if (problem.code === 'nothing_processed') return { ...NO_RESULT, preview: allSkipped(ids, problem) };
    return { ...NO_RESULT, rejection: problem };
  }
}
