// What a form holds: the record that it began with, what the person typed, what the server refused, and, where another person
// changed the record meanwhile, what it is now.

import i18next from 'i18next';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '@/api/problem';
import { focusWrong } from '@/ui/focus';
import { useUnsaved } from '@/ui/unsaved';
import { rebased } from './merge';
import { asksForPrice, type FieldErrors, STALE, withFields } from './problems';
import { type AnySpec, type FormValues, isChanged, wrongIn } from './spec';
import { type SubmitOptions, useSubmit } from './useSubmit';

export interface FormState {
  values: FormValues;
  /** The record that they change. */
  base: FormValues;
}

export interface FormOptions<Answer>
  extends Pick<SubmitOptions<Answer, FormState>, 'send' | 'success' | 'invalidates' | 'isStep'> {
  /** Says which fields hold another value; without one the form compares their texts. */
  spec?: AnySpec | undefined;
  /** What the form starts with, with the `updated_at` of a record, which has no field. */
  initial: FormValues;
  /** `initial` is the record as it is now, the same object until that changes: a newer one comes under what was typed. */
  follows?: true;
  /** Reads the record again, after an answer that it was changed. */
  reload?: (() => Promise<FormValues>) | undefined;
  /** Lists that are sent whole and that no stamp guards: `reload` reads them just before they are sent. */
  unguarded?: readonly string[] | undefined;
  onChange?: (() => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
  /** Once it is saved. An answer of 'stay' holds a dialog open: there is another step. */
  onDone?: ((answer: Answer, form: Done) => unknown) | undefined;
}

interface Done {
  /** The record as it was saved: what was sent gives way to it, what was typed since then stays. */
  saved: (record: FormValues) => void;
}

export interface Form<Answer> extends FormState {
  /** Fields that another person changed too, and what they are now. */
  conflicts: FormValues;
  isPending: boolean;
  isDirty: boolean;
  problem: Problem | null;
  errors: FieldErrors;
  change: (name: string, value: string) => void;
  submit: (event?: FormEvent) => Promise<Answer | null>;
  /** Saves a price below the least margin all the same; there only where the panel asked. */
  confirmPrice: (() => Promise<Answer | null>) | null;
  /** Puts what was typed on top of the record as it is now; there only after a conflict. */
  loadNewer: (() => Promise<FormValues | null>) | null;
  /** Takes back what was typed. */
  discard: () => void;
  /** Whether the person wants to leave; it asks them only while something is unsaved. */
  mayLeave: () => boolean;
}

export function useForm<Answer>(options: FormOptions<Answer>): Form<Answer> {
  const { spec, initial, follows, reload, unguarded = [], onChange, onProblem, onDone } = options;
  const texts = Object.keys(spec?.codecs ?? {}).filter((name) => spec?.codecs[name]?.mode === 'texts');
  const [base, setBase] = useState(initial);
  const [values, setValues] = useState(initial);
  const [conflicts, setConflicts] = useState<FormValues>({});
  const [seen, setSeen] = useState(initial);
  if (follows && seen !== initial) {
    // Where both changed the same field, the form stays with the record that it began with, and the save is refused.
    setSeen(initial);
    const merged = rebased(base, values, initial, texts);
    if (Object.keys(merged.conflicts).length === 0) {
      setBase(initial);
      setValues(merged.values);
    }
  }
  const sending = useSubmit<Answer, FormState>({
    send: async (state, key) => {
      if (reload && unguarded.some((name) => state.values[name] !== state.base[name])) {
        refuseNewer(spec, state, await reload(), unguarded);
      }
      try {
        return await options.send(state, key);
      } catch (error) {
        throw withWrong(error, spec, state.values);
      }
    },
    success: options.success,
    isStep: options.isStep,
    invalidates: options.invalidates,
    onProblem,
    onDone: (answer, sent) => {
      unsaved.release();
      onDone?.(answer, {
        saved: (record) => {
          setBase(record);
          setValues((now) => rebased(sent.values, now, record, texts).values);
          setConflicts({});
        },
      });
    },
  });
  const reading = useSubmit<FormValues>({
    send: reload ?? (async () => initial),
    onDone: (newer) => {
      const merged = rebased(base, values, newer, texts);
      setBase(newer);
      setValues(merged.values);
      setConflicts(merged.conflicts);
      sending.forget();
    },
  });
  const sent = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (!sending.problem) return;
    // A tab that leads to what is wrong is drawn after this.
    const frame = requestAnimationFrame(() => focusWrong(sent.current));
    return () => cancelAnimationFrame(frame);
  }, [sending.problem]);
  const isPending = sending.isPending || reading.isPending;
  const isDirty = isChanged(spec, values, base);
  const unsaved = useUnsaved(isDirty, isPending);
  const forget = () => {
    sending.forget();
    reading.forget();
  };
  return {
    values,
    base,
    conflicts,
    isPending,
    isDirty,
    problem: reading.problem ?? sending.problem,
    errors: sending.errors,
    change: (name, value) => {
      setValues((values) => ({ ...values, [name]: value }));
      forget();
      onChange?.();
    },
    submit: (event) => {
      event?.preventDefault();
      if (event?.currentTarget instanceof HTMLFormElement) sent.current = event.currentTarget;
      return sending.submit({ values, base });
    },
    confirmPrice: asksForPrice(sending.problem)
      ? () => sending.submit({ values: { ...values, confirm_below_margin: 'yes' }, base })
      : null,
    loadNewer: reload && sending.isStale ? () => reading.submit() : null,
    discard: () => {
      setValues(base);
      setConflicts({});
      forget();
    },
    mayLeave: unsaved.mayLeave,
  };
}

/**
 * A refusal, with every field that holds no number in words for people: the server names a type, and of some fields it says
 * nothing before all types are right.
 */
function withWrong(error: unknown, spec: AnySpec | undefined, values: FormValues): unknown {
  if (!(error instanceof Problem) || error.status !== 422) return error;
  const wrong = wrongIn(spec, values).map(([name, what]): [string, string[]] => [
    name,
    [i18next.t(`ui.wrong.${what}`)],
  ]);
  return wrong.length > 0 ? withFields(error, Object.fromEntries(wrong)) : error;
}

/** Throws what the server answers to an old stamp, where one of the lists is another one now. */
function refuseNewer(
  spec: AnySpec | undefined,
  { values, base }: FormState,
  newer: FormValues,
  lists: readonly string[],
) {
  const isNewer = (name: string) => {
    const now = unordered(spec, name, newer);
    // What is the same as what was typed may have been saved by an earlier try.
    return now !== unordered(spec, name, base) && now !== unordered(spec, name, values);
  };
  if (lists.some(isNewer)) throw new Problem({ status: 409, code: STALE, message: i18next.t('ui.newer.stale') });
}

/** What is in a list, whatever its order. */
function unordered(spec: AnySpec | undefined, name: string, values: FormValues): string {
  const text = values[name] ?? '';
  const sent = spec?.codecs[name]?.parse(text);
  return Array.isArray(sent) ? sent.map(String).sort().join() : text;
}
