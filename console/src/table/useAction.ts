// The state of an action's dialog: the preview from dry runs, the run in chunks, and the outcome. Closing the dialog aborts a dry
// run, but never a run that has started.
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
import { type Action, type ActionInput, type BulkOutcome, getUndoOffers, type UndoOffer } from './action';
import {
  continueBulkRun,
  countProcessedRecords,
  createAllSkippedOutcome,
  mergeOutcomes,
  planBulkRun,
  toSingleRecordOutcome,
} from './bulkRun';

/** Delay between the last edit and the dry run. */
const DEBOUNCE_MS = 300;

export function useAction<Row extends { id: number }>(props: StandardDialogProps<Row>) {
  const { onClose, onDone } = props;
  // Uses the props of the first render, because a new render of the parent must not repeat the dry run.
  const [{ action, ids, row }] = useState(props);
  const { t } = useTranslation();
  const [input, setInput] = useState<ActionInput>(action.initial ?? {});
  const [processedCount, setProcessedCount] = useState(0);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  // All attempts use the same run, so that a retry after a failure sends the remaining chunks with their original keys.
  const [run] = useState(() => planBulkRun(ids, action.chunkSize));

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

  const createUndoButton = (undos: readonly UndoOffer[]) =>
    undos.length > 0
      ? { label: t('ui.undo'), onClick: () => void undoAll(undos, onDone, t('ui.actionUndone')) }
      : undefined;

  const onRunDone = (response: unknown) => {
    onDone();
    const bulkOutcome = row ? null : mergeOutcomes(run);
    if (bulkOutcome && (bulkOutcome.skipped.length > 0 || bulkOutcome.totals.refunded !== '0')) {
      setOutcome(bulkOutcome);
      return;
    }
    const changedIds = ids.filter((id) => !bulkOutcome?.skipped.some((skippedRecord) => skippedRecord.id === id));
    const text = t(`actions.${action.name as 'cancel'}.done`, {
      count: changedIds.length,
      formattedCount: formatNumber(changedIds.length),
      id: row?.id,
    });
    const toastAction = createUndoButton(getUndoOffers(bulkOutcome ?? response));
    toast({ tone: 'success', text, ...(toastAction ? { action: toastAction } : {}) });
    onClose();
  };
  const submission = useSubmit<unknown>({
    // A retry sends every chunk with its original idempotency key.
    send: () => {
      const options = { dryRun: false };
      if (row) return action.runSingle(row.id, input, { ...options, key: run.chunks[0]?.key ?? crypto.randomUUID() });
      return continueBulkRun(
        run,
        (chunk, key) => action.runBulk(chunk, input, { ...options, key, total: ids.length }),
        setProcessedCount,
      );
    },
    onProblem: () => {
      if (countProcessedRecords(run) > 0) onDone();
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

  const changeInputAndClearProblem = (newInput: ActionInput) => {
    setInput(newInput);
    submission.clearProblem();
  };
  const outcomeUndoButton = outcome && createUndoButton(getUndoOffers(outcome));
  return {
    input,
    setInput: changeInputAndClearProblem,
    isPending: submission.isPending,
    processedCount,
    problem: submission.problem,
    outcome,
    outcomeUndoButton,
    preview,
    isPreviewing,
    previewedCount,
    previewProblem,
    rejection,
    retry,
    start: () => submission.submit(),
  };
}

/** Undoes each request. The server restores the records that it can restore, and a toast names the reasons for all other records. */
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
      errors.push(...outcome.skipped.map(({ message }) => message));
    } catch (error) {
      errors.push(asProblem(error).message);
    }
  }
  if (restoredCount > 0) toast({ tone: 'success', text: successText });
  for (const message of new Set(errors)) toast({ tone: 'error', text: message });
  onDone();
}

/** The result of a dry run, and the input that the dry run used. */
interface DryRunState {
  input: ActionInput;
  /** How often the user had retried the preview before this dry run. */
  retryCount: number;
  preview: BulkOutcome | null;
  /** A transient failure of the dry run. A retry may succeed. */
  previewProblem: Problem | null;
  /** The reason why the server would reject the action. */
  rejection: Problem | null;
}

/**
 * Sends a dry run whenever the form changes. Never returns the preview of an earlier input: `isPreviewing` is true and `preview` is
 * null until the server has responded for the current input. `previewedCount` is the number of records in the chunks that the server
 * has previewed so far. Sends no dry run while `isPaused` is true, because the server would reject a dry run after the run.
 */
function usePreview<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: ActionInput,
  isPaused: boolean,
) {
  const [dryRun, setDryRun] = useState<DryRunState | null>(null);
  const [previewedCount, setPreviewedCount] = useState(0);
  const [retryCount, setRetryCount] = useState(0);
  const isFirstDryRun = useRef(true);
  const currentDryRun = dryRun?.input === input && dryRun.retryCount === retryCount ? dryRun : null;
  const hasResult = currentDryRun !== null;
  useEffect(() => {
    if (isPaused || hasResult) return;
    const controller = new AbortController();
    const { signal } = controller;
    const startDryRun = async () => {
      setPreviewedCount(0);
      const result = await sendDryRun(
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
    preview: currentDryRun?.preview ?? null,
    previewProblem: currentDryRun?.previewProblem ?? null,
    rejection: currentDryRun?.rejection ?? null,
    isPreviewing: !currentDryRun,
    previewedCount,
    retry: () => setRetryCount((count) => count + 1),
  };
}

type DryRunResult = Pick<DryRunState, 'preview' | 'previewProblem' | 'rejection'>;

const EMPTY_DRY_RUN_RESULT: DryRunResult = { preview: null, previewProblem: null, rejection: null };

/** Sends one dry run. Sends the records in chunks if there are too many records for one request. */
async function sendDryRun<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: ActionInput,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<DryRunResult> {
  if (action.isReady && !action.isReady(input)) return EMPTY_DRY_RUN_RESULT;
  const sendChunk = (chunk: readonly number[], key: string) =>
    action.runBulk(chunk, input, { dryRun: true, key, signal });
  try {
    if (row && action.hasSinglePreview) {
      const response = await action.runSingle(row.id, input, { dryRun: true, key: crypto.randomUUID(), signal });
      return { ...EMPTY_DRY_RUN_RESULT, preview: toSingleRecordOutcome(response) };
    }
    const limit = action.chunkSize ?? MAX_IDS;
    if (ids.length <= limit) return { ...EMPTY_DRY_RUN_RESULT, preview: await sendChunk(ids, crypto.randomUUID()) };
    const run = planBulkRun(ids, limit);
    await continueBulkRun(run, sendChunk, onProgress);
    return { ...EMPTY_DRY_RUN_RESULT, preview: mergeOutcomes(run) };
  } catch (error) {
    if (isAborted(error)) return EMPTY_DRY_RUN_RESULT;
    const problem = asProblem(error);
    if (problem.isTransient) return { ...EMPTY_DRY_RUN_RESULT, previewProblem: problem };
    if (problem.code === 'nothing_processed')
      return { ...EMPTY_DRY_RUN_RESULT, preview: createAllSkippedOutcome(ids, problem) };
    return { ...EMPTY_DRY_RUN_RESULT, rejection: problem };
  }
}
