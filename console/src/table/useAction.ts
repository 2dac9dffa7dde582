// The course of one action: tried, run in chunks, and its outcome shown. Closing a dialog stops the trying, never a run.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { useSubmit } from '@/form/useSubmit';
import { count } from '@/i18n/format';
import { toast } from '@/ui/toasts';
import type { UsualDialogProps } from './ActionDialog';
import { type Action, type BulkOutcome, type Input, type UndoOffer, undosOf } from './action';
import { allSkipped, done as doneOf, merged, outcomeOfOne, plan, proceed } from './run';

/** A changed form is tried again after this pause. */
const PAUSE_MS = 300;

export function useAction<Row extends { id: number }>(props: UsualDialogProps<Row>) {
  const { onClose, onDone } = props;
  // A dialog is of one action on the records that it was opened for: a parent that draws again tries nothing again.
  const [{ action, ids, row }] = useState(props);
  const { t } = useTranslation();
  const [input, setInput] = useState<Input>(action.initial ?? {});
  const [done, setDone] = useState(0);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  // The plan outlives a failure, so that going on sends what is open under its old keys.
  const [run] = useState(() => plan(ids, action.chunk));

  useEffect(() => {
    if (!row || !action.start) return;
    let here = true;
    action.start(row).then(
      (start) => here && setInput((now) => ({ ...start, ...now })),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [action, row]);

  const undo = (undos: readonly UndoOffer[]) =>
    undos.length > 0 ? { label: t('ui.undo'), run: () => void takeBack(undos, onDone, t('ui.undone')) } : undefined;

  const finish = (answer: unknown) => {
    onDone();
    const result = row ? null : merged(run);
    if (result && (result.skipped.length > 0 || result.totals.returned !== '0')) {
      setOutcome(result);
      return;
    }
    const moved = ids.filter((id) => !result?.skipped.some((skip) => skip.id === id));
    const text = t(`actions.${action.name as 'cancel'}.done`, {
      count: moved.length,
      shown: count(moved.length),
      id: row?.id,
    });
    const back = undo(undosOf(result ?? answer));
    toast({ tone: 'success', text, ...(back ? { action: back } : {}) });
    onClose();
  };
  const running = useSubmit<unknown>({
    // Under the keys of the plan: a chunk that was sent keeps its own.
    send: () => {
      const how = { dryRun: false };
      if (row) return action.one(row.id, input, { ...how, key: run.chunks[0]?.key ?? crypto.randomUUID() });
      return proceed(run, (chunk, key) => action.many(chunk, input, { ...how, key, total: ids.length }), setDone);
    },
    onProblem: () => {
      if (doneOf(run) > 0) onDone();
    },
    onDone: finish,
  });
  const { preview, trying, tried, untried, refused, retry } = usePreview(
    action,
    ids,
    row,
    input,
    running.isPending || outcome !== null,
  );

  /** A corrected field is no longer at fault. */
  const change = (next: Input) => {
    setInput(next);
    running.forget();
  };
  const undoOutcome = outcome && undo(undosOf(outcome));
  return {
    input,
    setInput: change,
    isPending: running.isPending,
    done,
    problem: running.problem,
    outcome,
    undoOutcome,
    preview,
    trying,
    tried,
    untried,
    refused,
    retry,
    start: () => running.submit(),
  };
}

/** Lets the server undo what each request changed. What cannot be restored any more is said, and the rest is restored. */
async function takeBack(undos: readonly UndoOffer[], onDone: () => void, text: string) {
  let restored = 0;
  const refused: string[] = [];
  for (const { request_id } of undos) {
    try {
      const outcome = await unwrap(
        api.POST('/api/v1/admin/undo', {
          params: {},
          body: { request_id },
          ...keyed(crypto.randomUUID()),
        }),
      );
      restored += outcome.processed;
      refused.push(...outcome.skipped.map((skip) => skip.message));
    } catch (error) {
      refused.push(asProblem(error).message);
    }
  }
  if (restored > 0) toast({ tone: 'success', text });
  for (const message of new Set(refused)) toast({ tone: 'error', text: message });
  onDone();
}

/** What the server answered to a dry run, and what it was asked. */
interface Answered {
  input: Input;
  /** Counts how often the same was tried. */
  round: number;
  preview: BulkOutcome | null;
  /** Why the server did not try it, where trying again can help. */
  untried: Problem | null;
  /** Why it would refuse all of it. */
  refused: Problem | null;
}

/**
 * Tries the action whenever the form changes. A preview of another input is never shown: `trying` holds, and no preview
 * is there, until the server has answered for the current one. `tried` counts the records of the chunks so far. While
 * `paused` nothing is tried: a dry run that reached the server after the run would be refused.
 */
function usePreview<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: Input,
  paused: boolean,
) {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [tried, setTried] = useState(0);
  const [round, setRound] = useState(0);
  const isFirst = useRef(true);
  const current = answered?.input === input && answered.round === round ? answered : null;
  const isAnswered = current !== null;
  useEffect(() => {
    if (paused || isAnswered) return;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = async () => {
      setTried(0);
      const answer = await tryOut(action, ids, row, input, signal, (count) => !signal.aborted && setTried(count));
      if (!signal.aborted) setAnswered({ input, round, ...answer });
    };
    const timer = window.setTimeout(attempt, isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    signal.addEventListener('abort', () => window.clearTimeout(timer));
    return () => controller.abort();
  }, [action, ids, row, input, round, paused, isAnswered]);
  return {
    preview: current?.preview ?? null,
    untried: current?.untried ?? null,
    refused: current?.refused ?? null,
    trying: !current,
    tried,
    retry: () => setRound((round) => round + 1),
  };
}

type Tried = Pick<Answered, 'preview' | 'untried' | 'refused'>;

/** Nothing is known beforehand. */
const UNKNOWN: Tried = { preview: null, untried: null, refused: null };

/** One dry run, in chunks where one call does not take all records. */
async function tryOut<Row extends { id: number }>(
  action: Action<Row>,
  ids: readonly number[],
  row: Row | null,
  input: Input,
  signal: AbortSignal,
  onProgress: (tried: number) => void,
): Promise<Tried> {
  if (action.ready && !action.ready(input)) return UNKNOWN;
  const call = (chunk: readonly number[], key: string) => action.many(chunk, input, { dryRun: true, key, signal });
  try {
    if (row && action.triesOne) {
      const answer = await action.one(row.id, input, { dryRun: true, key: crypto.randomUUID(), signal });
      return { ...UNKNOWN, preview: outcomeOfOne(answer) };
    }
    const most = action.chunk ?? MAX_IDS;
    if (ids.length <= most) return { ...UNKNOWN, preview: await call(ids, crypto.randomUUID()) };
    const run = plan(ids, most);
    await proceed(run, call, onProgress);
    return { ...UNKNOWN, preview: merged(run) };
  } catch (error) {
    if (isAbandoned(error)) return UNKNOWN;
    const problem = asProblem(error);
    if (problem.isPassing) return { ...UNKNOWN, untried: problem };
    if (problem.code === 'nothing_processed') return { ...UNKNOWN, preview: allSkipped(ids, problem) };
    return { ...UNKNOWN, refused: problem };
  }
}
