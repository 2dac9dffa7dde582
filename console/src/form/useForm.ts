// The state of a form: the loaded record, the user's edits, the server's errors, and the conflicts with changes that another user
// has saved in the meantime.

import i18next from 'i18next';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '@/api/problem';
import { focusFirstInvalid } from '@/ui/focus';
import { useUnsaved } from '@/ui/unsaved';
import { mergeEdits } from './merge';
import { type FieldErrors, needsPriceConfirmation, STALE_RECORD_CODE, withFields } from './problems';
import { type AnyFormSpec, type FormValues, invalidFields, isChanged } from './spec';
import { type SubmitOptions, useSubmit } from './useSubmit';

export interface FormState {
  values: FormValues;
  /** The values of the record as it was loaded. */
  base: FormValues;
}

export interface FormOptions<Result>
  extends Pick<SubmitOptions<Result, FormState>, 'send' | 'success' | 'invalidates' | 'isIntermediate'> {
  /** Decides which fields have changed; without it, the form compares the texts of the fields. */
  spec?: AnyFormSpec | undefined;
  /** The initial values, and the `updated_at` of the record. */
  initial: FormValues;
  /** The parent passes a new `initial` whenever the record changes; the form merges the edits into it. */
  followsRecord?: true;
  /** Loads the saved record after a conflict. */
  reload?: (() => Promise<FormValues>) | undefined;
  /**
   * Lists that a save replaces and `updated_at` does not protect. Before the form sends them, it calls `reload` to compare them.
   */
  unversionedLists?: readonly string[] | undefined;
  onChange?: (() => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
  /** Called after the save. If it returns 'stay', the dialog stays open for another step. */
  onDone?: ((result: Result, form: SavedForm) => unknown) | undefined;
}

interface SavedForm {
  /** Makes the saved record the new base of the form. Edits that the user has made after the submit stay. */
  rebase: (record: FormValues) => void;
}

export interface Form<Result> extends FormState {
  /** The server's values of fields that another user has changed too. */
  conflicts: FormValues;
  isPending: boolean;
  isDirty: boolean;
  problem: Problem | null;
  errors: FieldErrors;
  change: (name: string, value: string) => void;
  submit: (event?: FormEvent) => Promise<Result | null>;
  /** Sends the form again with the price confirmation; null unless the server requires it. */
  confirmPrice: (() => Promise<Result | null>) | null;
  /** Loads the saved record and merges the edits into it; null unless the last save had a conflict. */
  loadLatest: (() => Promise<FormValues | null>) | null;
  discard: () => void;
  /** Asks the user whether to discard unsaved changes. Returns true without asking if there are none. */
  confirmLeave: () => boolean;
}

export function useForm<Result>(options: FormOptions<Result>): Form<Result> {
  const { spec, initial, followsRecord, reload, unversionedLists = [], onChange, onProblem, onDone } = options;
  const textFields = Object.keys(spec?.codecs ?? {}).filter((name) => spec?.codecs[name]?.mode === 'texts');
  const [base, setBase] = useState(initial);
  const [values, setValues] = useState(initial);
  const [conflicts, setConflicts] = useState<FormValues>({});
  const [lastInitial, setLastInitial] = useState(initial);
  if (followsRecord && lastInitial !== initial) {
    // After a conflict the form keeps its old base, so the server rejects the next save and the user can merge.
    setLastInitial(initial);
    const mergeResult = mergeEdits(base, values, initial, textFields);
    if (Object.keys(mergeResult.conflicts).length === 0) {
      setBase(initial);
      setValues(mergeResult.values);
    }
  }
  const saveSubmission = useSubmit<Result, FormState>({
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
    isIntermediate: options.isIntermediate,
    invalidates: options.invalidates,
    onProblem,
    onDone: (result, sentState) => {
      unsavedGuard.markSaved();
      onDone?.(result, {
        rebase: (record) => {
          setBase(record);
          setValues((values) => mergeEdits(sentState.values, values, record, textFields).values);
          setConflicts({});
        },
      });
    },
  });
  const reloadSubmission = useSubmit<FormValues>({
    send: reload ?? (async () => initial),
    onDone: (savedValues) => {
      const mergeResult = mergeEdits(base, values, savedValues, textFields);
      setBase(savedValues);
      setValues(mergeResult.values);
      setConflicts(mergeResult.conflicts);
      saveSubmission.clearProblem();
    },
  });
  const formElement = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (!saveSubmission.problem) return;
    // `onProblem` may have selected another tab. It is rendered after this effect, so focus in the next frame.
    const frame = requestAnimationFrame(() => focusFirstInvalid(formElement.current));
    return () => cancelAnimationFrame(frame);
  }, [saveSubmission.problem]);
  const isPending = saveSubmission.isPending || reloadSubmission.isPending;
  const isDirty = isChanged(spec, values, base);
  const unsavedGuard = useUnsaved(isDirty, isPending);
  const clearProblem = () => {
    saveSubmission.clearProblem();
    reloadSubmission.clearProblem();
  };
  return {
    values,
    base,
    conflicts,
    isPending,
    isDirty,
    problem: reloadSubmission.problem ?? saveSubmission.problem,
    errors: saveSubmission.errors,
    change: (name, value) => {
      setValues((values) => ({ ...values, [name]: value }));
      clearProblem();
      onChange?.();
    },
    submit: (event) => {
      event?.preventDefault();
      if (event?.currentTarget instanceof HTMLFormElement) formElement.current = event.currentTarget;
      return saveSubmission.submit({ values, base });
    },
    confirmPrice: needsPriceConfirmation(saveSubmission.problem)
      ? () => saveSubmission.submit({ values: { ...values, confirm_below_margin: 'yes' }, base })
      : null,
    loadLatest: reload && saveSubmission.isStale ? () => reloadSubmission.submit() : null,
    discard: () => {
      setValues(base);
      setConflicts({});
      clearProblem();
    },
    confirmLeave: unsavedGuard.confirmLeave,
  };
}

/**
 * Replaces the server's errors of fields with invalid numbers by readable ones, and adds those that the server has not reported:
 * its messages contain data types, and it stops at the first field of a wrong type.
 */
function withValidationErrors(error: unknown, spec: AnyFormSpec | undefined, values: FormValues): unknown {
  if (!(error instanceof Problem) || error.status !== 422) return error;
  const fieldErrors = invalidFields(spec, values).map(([name, codecError]): [string, string[]] => [
    name,
    [i18next.t(`ui.wrong.${codecError}`)],
  ]);
  return fieldErrors.length > 0 ? withFields(error, Object.fromEntries(fieldErrors)) : error;
}

/** Throws the same conflict as the server if another user has changed one of the lists. */
function throwIfListChanged(
  spec: AnyFormSpec | undefined,
  { values, base }: FormState,
  savedValues: FormValues,
  lists: readonly string[],
) {
  const hasChanged = (name: string) => {
    const savedList = sortedItems(spec, name, savedValues);
    // A saved list that is equal to the edited one may come from an earlier attempt of this form.
    return savedList !== sortedItems(spec, name, base) && savedList !== sortedItems(spec, name, values);
  };
  if (lists.some(hasChanged))
    throw new Problem({ status: 409, code: STALE_RECORD_CODE, message: i18next.t('ui.newer.stale') });
}

/** The items of a list in a fixed order, for comparison. */
function sortedItems(spec: AnyFormSpec | undefined, name: string, values: FormValues): string {
  const text = values[name] ?? '';
  const items = spec?.codecs[name]?.parse(text);
  return Array.isArray(items) ? items.map(String).sort().join() : text;
}
