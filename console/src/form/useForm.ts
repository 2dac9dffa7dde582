// The state of a form: the loaded record, the user's edits, the server's errors, and the conflicts when another user has changed
// the record meanwhile.

import i18next from 'i18next';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '@/api/problem';
import { focusFirstInvalid } from '@/ui/focus';
import { useUnsaved } from '@/ui/unsaved';
import { mergeEdits } from './merge';
import { type FieldErrors, needsPriceConfirmation, STALE, withFields } from './problems';
import { type AnyFormSpec, type FormValues, invalidFields, isChanged } from './spec';
import { type SubmitOptions, useSubmit } from './useSubmit';

export interface FormState {
  values: FormValues;
  /** The record as it was loaded, which the values change. */
  base: FormValues;
}

export interface FormOptions<Answer>
  extends Pick<SubmitOptions<Answer, FormState>, 'send' | 'success' | 'invalidates' | 'isStep'> {
  /** Decides which fields have changed; without it the form compares texts. */
  spec?: AnyFormSpec | undefined;
  /** Initial values, with the `updated_at` of the record, which has no field. */
  initial: FormValues;
  /** `initial` always is the current record, and a new object when it changes: the form then merges it under the edits. */
  followsRecord?: true;
  /** Loads the record again after a conflict. */
  reload?: (() => Promise<FormValues>) | undefined;
  /** Lists that are sent as a whole and that `updated_at` does not protect: `reload` reads them just before they are sent. */
  unversionedLists?: readonly string[] | undefined;
  onChange?: (() => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
  /** Called after the save. Returning 'stay' keeps a dialog open for another step. */
  onDone?: ((answer: Answer, form: SavedForm) => unknown) | undefined;
}

interface SavedForm {
  /** Takes the saved record as the new base; edits made since the submit are kept. */
  rebase: (record: FormValues) => void;
}

export interface Form<Answer> extends FormState {
  /** Fields that another user has changed too, with their current values. */
  conflicts: FormValues;
  isPending: boolean;
  isDirty: boolean;
  problem: Problem | null;
  errors: FieldErrors;
  change: (name: string, value: string) => void;
  submit: (event?: FormEvent) => Promise<Answer | null>;
  /** Saves a price below the minimum margin; null unless the server asked for this confirmation. */
  confirmPrice: (() => Promise<Answer | null>) | null;
  /** Loads the current record and merges the edits into it; null unless the last save had a conflict. */
  loadLatest: (() => Promise<FormValues | null>) | null;
  /** Reverts all edits. */
  discard: () => void;
  /** Asks the user whether to discard unsaved changes; true when there are none. */
  confirmLeave: () => boolean;
}

export function useForm<Answer>(options: FormOptions<Answer>): Form<Answer> {
  const { spec, initial, followsRecord, reload, unversionedLists = [], onChange, onProblem, onDone } = options;
  const texts = Object.keys(spec?.codecs ?? {}).filter((name) => spec?.codecs[name]?.mode === 'texts');
  const [base, setBase] = useState(initial);
  const [values, setValues] = useState(initial);
  const [conflicts, setConflicts] = useState<FormValues>({});
  const [lastInitial, setLastInitial] = useState(initial);
  if (followsRecord && lastInitial !== initial) {
    // With a conflict the form keeps its base, and the server rejects the save.
    setLastInitial(initial);
    const merged = mergeEdits(base, values, initial, texts);
    if (Object.keys(merged.conflicts).length === 0) {
      setBase(initial);
      setValues(merged.values);
    }
  }
  const sending = useSubmit<Answer, FormState>({
    send: async (state, key) => {
      if (reload && unversionedLists.some((name) => state.values[name] !== state.base[name])) {
        throwIfListChanged(spec, state, await reload(), unversionedLists);
      }
      try {
        return await options.send(state, key);
      } catch (error) {
        throw withValidationErrors(error, spec, state.values);
      }
    },
    success: options.success,
    isStep: options.isStep,
    invalidates: options.invalidates,
    onProblem,
    onDone: (answer, sent) => {
      unsaved.markSaved();
      onDone?.(answer, {
        rebase: (record) => {
          setBase(record);
          setValues((latest) => mergeEdits(sent.values, latest, record, texts).values);
          setConflicts({});
        },
      });
    },
  });
  const reading = useSubmit<FormValues>({
    send: reload ?? (async () => initial),
    onDone: (current) => {
      const merged = mergeEdits(base, values, current, texts);
      setBase(current);
      setValues(merged.values);
      setConflicts(merged.conflicts);
      sending.clearProblem();
    },
  });
  const formElement = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (!sending.problem) return;
    // `onProblem` may have selected another tab, which is rendered after this effect.
    const frame = requestAnimationFrame(() => focusFirstInvalid(formElement.current));
    return () => cancelAnimationFrame(frame);
  }, [sending.problem]);
  const isPending = sending.isPending || reading.isPending;
  const isDirty = isChanged(spec, values, base);
  const unsaved = useUnsaved(isDirty, isPending);
  const clearProblem = () => {
    sending.clearProblem();
    reading.clearProblem();
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
      clearProblem();
      onChange?.();
    },
    submit: (event) => {
      event?.preventDefault();
      if (event?.currentTarget instanceof HTMLFormElement) formElement.current = event.currentTarget;
      return sending.submit({ values, base });
    },
    confirmPrice: needsPriceConfirmation(sending.problem)
      ? () => sending.submit({ values: { ...values, confirm_below_margin: 'yes' }, base })
      : null,
    loadLatest: reload && sending.isStale ? () => reading.submit() : null,
    discard: () => {
      setValues(base);
      setConflicts({});
      clearProblem();
    },
    confirmLeave: unsaved.confirmLeave,
  };
}

/**
 * Replaces the server's errors of fields with invalid numbers by readable ones: the server names a data type, and it does not
 * check other fields before all types are right.
 */
function withValidationErrors(error: unknown, spec: AnyFormSpec | undefined, values: FormValues): unknown {
  if (!(error instanceof Problem) || error.status !== 422) return error;
  const invalid = invalidFields(spec, values).map(([name, reason]): [string, string[]] => [
    name,
    [i18next.t(`ui.wrong.${reason}`)],
  ]);
  return invalid.length > 0 ? withFields(error, Object.fromEntries(invalid)) : error;
}

/** Throws the same conflict as the server when one of the lists has changed. */
function throwIfListChanged(
  spec: AnyFormSpec | undefined,
  { values, base }: FormState,
  current: FormValues,
  lists: readonly string[],
) {
  const hasChanged = (name: string) => {
    const list = sortedItems(spec, name, current);
    // A list that equals the edited one may have been saved by an earlier attempt.
    return list !== sortedItems(spec, name, base) && list !== sortedItems(spec, name, values);
  };
  if (lists.some(hasChanged)) throw new Problem({ status: 409, code: STALE, message: i18next.t('ui.newer.stale') });
}

/** The items of a list in a fixed order, for comparison. */
function sortedItems(spec: AnyFormSpec | undefined, name: string, values: FormValues): string {
  const text = values[name] ?? '';
  const items = spec?.codecs[name]?.parse(text);
  return Array.isArray(items) ? items.map(String).sort().join() : text;
}
