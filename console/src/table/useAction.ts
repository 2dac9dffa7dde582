// The course of one action: tried, run in chunks, told. Closing a dialog stops the trying, never a run.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { MAX_IDS } from '@/api/table';
import { count } from '@/i18n/format';
import { toast } from '@/ui/toasts';
import type { ActionDialogProps } from './ActionDialog';
import { type Action, type BulkOutcome, type Input, type UndoOffer, undosOf } from './action';
import { allSkipped, done as doneOf, merged, plan, proceed } from './run';

/** A changed form is tried again after this pause. */
const PAUSE_MS = 300;

export function useAction<Row extends { id: number }>(props: ActionDialogProps<Row>) {
  const { action, ids, row, onClose, onDone } = props;
  const { t } = useTranslation();
  const [input, setInput] = useState<Input>(action.initial ?? {});
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const { preview, trying, stop } = usePreview(action, ids, input);
  // Kept over a failure, so that going on sends what is open under its old keys.
  const [run] = useState(() => plan(ids));

  useEffect(() => {
    if (!row || !action.start) return;
    let here = true;
    action.start(row).then(
      (start) => here && setInput((now) => ({ ...now, ...start })),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [action, row]);

  const undo = (undos: readonly UndoOffer[]) =>
    undos.length > 0 ? { label: t('ui.undo'), run: () => void takeBack(undos, onDone, t('ui.undone')) } : undefined;

  const start = async () => {
    setBusy(true);
    setProblem(null);
    // A preview that arrives after the run would be refused, as nothing is left to change.
    stop();
    const how = { dryRun: false };
    let answer: unknown;
    try {
      if (row) {
        answer = await action.one(row.id, input, { ...how, key: run.chunks[0]?.key ?? crypto.randomUUID() });
      } else {
        await proceed(run, (chunk, key) => action.many(chunk, input, { ...how, key, total: ids.length }), setDone);
      }
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
      if (doneOf(run) > 0) onDone();
      return;
    }
    onDone();
    const result = row ? null : merged(run);
    if (result && (result.skipped.length > 0 || result.totals.returned !== '0')) {
      setOutcome(result);
      setBusy(false);
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

  /** A corrected field is no longer at fault. */
  const change = (next: Input) => {
    setInput(next);
    setProblem(null);
  };
  return { input, setInput: change, busy, done, problem, outcome, preview, trying, start };
}

/** Lets the server undo what each request changed. What cannot be restored any more is said, and the rest is restored. */
async function takeBack(undos: readonly UndoOffer[], onDone: () => void, text: string) {
  let restored = 0;
  const refused: string[] = [];
  for (const { request_id } of undos) {
    try {
      const outcome = await told(
        api.POST('/api/v1/admin/undo', {
          params: {},
          body: { request_id },
          headers: { 'Idempotency-Key': crypto.randomUUID() },
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

/** Tries the action whenever the form changes; more than one call takes is not tried as a whole. */
function usePreview<Row>(action: Action<Row>, ids: readonly number[], input: Input) {
  const [preview, setPreview] = useState<BulkOutcome | null>(null);
  const [trying, setTrying] = useState(true);
  const isFirst = useRef(true);
  const latest = useRef<AbortController | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    latest.current = controller;
    const attempt = async () => {
      if (action.ready && !action.ready(input)) {
        setPreview(null);
        setTrying(false);
        return;
      }
      setTrying(true);
      try {
        const how = { dryRun: true, key: crypto.randomUUID(), signal: controller.signal };
        setPreview(ids.length > MAX_IDS ? null : await action.many(ids, input, how));
      } catch (error) {
        if (!isAbandoned(error)) setPreview(skippedOrNull(ids, error));
      }
      if (!controller.signal.aborted) setTrying(false);
    };
    const timer = window.setTimeout(attempt, isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    controller.signal.addEventListener('abort', () => window.clearTimeout(timer));
    return () => controller.abort();
  }, [action, ids, input]);
  const stop = () => {
    latest.current?.abort();
    setTrying(false);
  };
  return { preview, trying, stop };
}

/** A form that is not complete yet cannot be tried; the run itself names its fields. */
function skippedOrNull(ids: readonly number[], error: unknown): BulkOutcome | null {
  try {
    return allSkipped(ids, error);
  } catch {
    return null;
  }
}
