// The state of an action's dialog: the preview from dry runs, the run in chunks, and the outcome. Closing the dialog aborts a
// preview, but never a run.
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
import { allSkippedOutcome, continueRun, mergeOutcomes, planRun, processedCount, singleOutcome } from './run';

/** Delay between the last edit and the dry run. */
const DEBOUNCE_MS = 300;

export function useAction<Row extends { id: number }>(props: StandardDialogProps<Row>) {
  const { onClose, onDone } = props;
  // The first props stay: a dry run must not be repeated only because the parent renders again.
  const [{ action, ids, row }] = useState(props);
  const { t } = useTranslation();
  const [input, setInput] = useState<Input>(action.initial ?? {});
  const [doneCount, setDoneCount] = useState(0);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  // One run for all attempts: after a failure, a retry sends the remaining chunks with their first keys.
  const [run] = useState(() => planRun(ids, action.chunkSize));

  useEffect(() => {
    if (!row || !action.loadInitial) return;
    let isMounted = true;
    action.loadInitial(row).then(
      (initial) => isMounted && setInput((input) => ({ ...initial, ...input })),
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [action, row]);

  const undoButton = (undos: readonly UndoOffer[]) =>
    undos.length > 0 ? { label: t('ui.undo'), run: () => void undoAll(undos, onDone, t('ui.undone')) } : undefined;

  const onRunDone = (response: unknown) => {
    onDone();
    const result = row ? null : mergeOutcomes(run);
    if (result && (result.skipped.length > 0 || result.totals.returned !== '0')) {
      setOutcome(result);
      return;
    }
    const changedIds = ids.filter((id) => !result?.skipped.some((skip) => skip.id === id));
    const text = t(`actions.${action.name as 'cancel'}.done`, {
      count: changedIds.length,
      shown: formatNumber(changedIds.length),
      id: row?.id,
    });
    const toastAction = undoButton(undoOffers(result ?? response));
    toast({ tone: 'success', text, ...(toastAction ? { action: toastAction } : {}) });
    onClose();
  };
  const submission = useSubmit<unknown>({
    // A retry sends every chunk with its first key.
    send: () => {
      const options = { dryRun: false };
      if (row) return action.runSingle(row.id, input, { ...options, key: run.chunks[0]?.key ?? crypto.randomUUID() });
      return continueRun(
        run,
        (chunk, key) => action.runBulk(chunk, input, { ...options, key, total: ids.length }),
        setDoneCount,
      );
    },
    onProblem: () => {
      if (processedCount(run) > 0) onDone();
    },
    onDone: onRunDone,
  });
  const { preview, isPreviewing, previewedCount, previewProblem, rejection, retry } = usePreview(
    action,
    ids,
    row,
    input,
    submission.isPending || outcome !== null,
  );

  /** Also clears the errors of the last run. */
  const changeInput = (newInput: Input) => {
    setInput(newInput);
    submission.clearProblem();
  };
  const undoOutcome = outcome && undoButton(undoOffers(outcome));
  return {
    input,
    setInput: changeInput,
    isPending: submission.isPending,
    doneCount,
    problem: submission.problem,
    outcome,
    undoOutcome,
    preview,
    isPreviewing,
    previewedCount,
    previewProblem,
    rejection,
    retry,
    start: () => submission.submit(),
  };
}

/** Undoes each request. A toast reports the records that can no longer be restored; the others are restored. */
async function undoAll(undos: readonly UndoOffer[], onDone: () => void, successText: string) {
  let restoredCount = 0;
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
      restoredCount += outcome.processed;
      errors.push(...outcome.skipped.map((skip) => skip.message));
    } catch (error) {
      errors.push(asProblem(error).message);
    }
  }
  if (restoredCount > 0) toast({ tone: 'success', text: successText });
  for (const message of new Set(errors)) toast({ tone: 'error', text: message });
  onDone();
}

/** The result of a dry run, and the input for which it was made. */
interface DryRun {
  input: Input;
  /** How often the user has retried the preview. */
  retryCount: number;
  preview: BulkOutcome | null;
  /** A transient failure of the dry run, after which a retry may help. */
  previewProblem: Problem | null;
  /** Why the server would reject the action. */
  rejection: Problem | null;
}

/**
 * Makes a dry run whenever the form changes. It never returns the preview of an older input: `isPreviewing` is true and `preview`
 * is null until the server has responded for the current input. `previewedCount` is the number of records in the chunks that were
 * previewed so far. It makes no dry run while `isPaused`, because the server would reject one that arrives after the run.
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
  const [retryCount, setRetryCount] = useState(0);
  const isFirstDryRun = useRef(true);
  const current = dryRun?.input === input && dryRun.retryCount === retryCount ? dryRun : null;
  const hasResult = current !== null;
  useEffect(() => {
    if (isPaused || hasResult) return;
    const controller = new AbortController();
    const { signal } = controller;
    const startDryRun = async () => {
      setPreviewedCount(0);
      const result = await makeDryRun(
        action,
        ids,
        row,
        input,
        signal,
        (count) => !signal.aborted && setPreviewedCount(count),
      );
      if (!signal.aborted) setDryRun({ input, retryCount, ...result });
    };
    const timer = window.setTimeout(startDryRun, isFirstDryRun.current ? 0 : DEBOUNCE_MS);
    isFirstDryRun.current = false;
    signal.addEventListener('abort', () => window.clearTimeout(timer));
    return () => controller.abort();
  }, [action, ids, row, input, retryCount, isPaused, hasResult]);
  return {
    preview: current?.preview ?? null,
    previewProblem: current?.previewProblem ?? null,
    rejection: current?.rejection ?? null,
    isPreviewing: !current,
    previewedCount,
    retry: () => setRetryCount((count) => count + 1),
  };
}

type DryRunResult = Pick<DryRun, 'preview' | 'previewProblem' | 'rejection'>;

const NO_RESULT: DryRunResult = { preview: null, previewProblem: null, rejection: null };

/** Makes one dry run, in chunks if there are more records than one call allows. */
async function makeDryRun<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: Input,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<DryRunResult> {
  if (action.isReady && !action.isReady(input)) return NO_RESULT;
  const call = (chunk: readonly number[], key: string) => action.runBulk(chunk, input, { dryRun: true, key, signal });
  try {
    if (row && action.hasSinglePreview) {
      const response = await action.runSingle(row.id, input, { dryRun: true, key: crypto.randomUUID(), signal });
      return { ...NO_RESULT, preview: singleOutcome(response) };
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
    if (problem.code === 'nothing_processed') return { ...NO_RESULT, preview: allSkippedOutcome(ids, problem) };
    return { ...NO_RESULT, rejection: problem };
  }
}
