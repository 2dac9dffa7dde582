// What a form holds: what it started with, what was typed, what the server said about it, and, when somebody else
// changed the record meanwhile, what is theirs now.
import { type FormEvent, useState } from 'react';
import { asProblem, type Problem } from '@/api/problem';
import { onTopOf } from './newer';

export type Values = Record<string, string>;

/** Of a body: the price is below the least margin, and its author confirmed it. */
export const confirmation = (values: Values) =>
  values.confirm_below_margin === 'yes' ? { confirm_below_margin: true as const } : {};

/** Whether the panel takes the price once it is confirmed; where it refuses such prices, it does not ask. */
export const asksForConfirmation = (problem: Problem | null) =>
  problem?.code === 'below_least_margin' && JSON.stringify(problem.fields).includes('confirm_below_margin');

export interface Saving {
  /** What the form starts with. A record's `updated_at` may stand here without a field. */
  initial: Values;
  /** `initial` is the record as it is now, the same object until that changes: a newer one comes under what was typed. */
  follows?: true;
  /** Sends `values`; `was` is the record that they change. `stay` keeps the form open: there is another step. */
  onSave: (values: Values, was: Values) => Promise<unknown>;
  /** Something was typed. */
  onChange?: () => void;
  /** Reads the record again, after an answer that somebody changed it. */
  reload?: (() => Promise<Values>) | undefined;
  /** Names of the values that hold texts by language. */
  texts?: readonly string[];
  onClose: () => void;
}

export function useForm({ initial, follows, onSave, onChange, reload, texts = [], onClose }: Saving) {
  const [was, setWas] = useState(initial);
  const [values, setValues] = useState(initial);
  const [clashes, setClashes] = useState<Values>({});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [seen, setSeen] = useState(initial);
  if (follows && seen !== initial) {
    // Where both changed the same the form stays with the record it began with, and saving tells of the conflict.
    setSeen(initial);
    const merged = onTopOf(was, values, initial, texts);
    if (Object.keys(merged.clashes).length === 0) {
      setWas(initial);
      setValues(merged.values);
    }
  }
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const send = async (sent: Values) => {
    let step: unknown;
    const work = async () => {
      step = await onSave(sent, was);
    };
    if ((await attempt(work)) && step !== 'stay') onClose();
  };
  return {
    values,
    /** What the form started with, or took over since. */
    was,
    /** Fields that somebody else changed too, and what they are now. */
    clashes,
    busy,
    problem,
    isDirty: Object.keys({ ...was, ...values }).some((name) => (values[name] ?? '') !== (was[name] ?? '')),
    save: (event: FormEvent) => {
      event.preventDefault();
      return send(values);
    },
    /** Saves a price below the least margin all the same; there only where the panel asked. */
    confirmPrice: asksForConfirmation(problem) ? () => send({ ...values, confirm_below_margin: 'yes' }) : null,
    /** The record as it was saved: what was sent gives way to it, what was typed since stays. */
    saved: (record: Values) => {
      setWas(record);
      setValues((now) => onTopOf(values, now, record, texts).values);
      setClashes({});
      setProblem(null);
    },
    /** Takes back what was typed. */
    discard: () => {
      setValues(was);
      setClashes({});
      setProblem(null);
    },
    change: (name: string, value: string) => {
      setValues((values) => ({ ...values, [name]: value }));
      setProblem(null);
      onChange?.();
    },
    /** Puts what was typed on top of the record as it is now; there only after a conflict. */
    loadNewer:
      reload && problem?.code === 'changed_meanwhile'
        ? () =>
            attempt(async () => {
              const newer = await reload();
              const merged = onTopOf(was, values, newer, texts);
              setWas(newer);
              setValues(merged.values);
              setClashes(merged.clashes);
              setProblem(null);
            })
        : null,
  };
}
