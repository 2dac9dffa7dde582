// The state of a form: the loaded record, the user's edits, the server's errors, and the conflicts with changes that another user
// has saved since the form was loaded.

import i18next from 'i18next';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '@/api/problem';
import { focusFirstInvalid } from '@/ui/focus';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { mergeEdits } from './merge';
import { canConfirmPrice, type FieldErrors, STALE_RECORD_CODE, withFieldErrors } from './problems';
import { type AnyFormSpec, type FormValues, findInvalidFields, hasChanges } from './spec';
import { type SubmitOptions, useSubmit } from './useSubmit';

export interface FormState {
  values: FormValues;
  /** The form values of the loaded record, before the user's edits. */
  base: FormValues;
}

export interface FormOptions<Result>
  extends Pick<
    SubmitOptions<Result, FormState>,
    'send' | 'successMessage' | 'invalidatedQueries' | 'isIntermediateResult'
  > {
  /** Decides which fields have changed. Without a specification, the form compares the texts of the fields. */
  spec?: AnyFormSpec | undefined;
  /** The form values of the record, including its `updated_at`. */
  initialValues: FormValues;
  /** Whenever the parent passes new `initialValues`, the form merges the user's edits into them. Without it they are ignored. */
  mergesNewInitialValues?: true;
  /** Fetches the values of the saved record after a conflict. */
  reload?: (() => Promise<FormValues>) | undefined;
  /**
   * Names of fields with lists that a save replaces and `updated_at` does not protect. Before the form sends an edited list, it
   * calls `reload` to check that no other user has changed the list.
   */
  unversionedLists?: readonly string[] | undefined;
  onChange?: (() => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
  /** Called after the save. If it returns 'stay', the dialog stays open for the next step. */
  onDone?: ((result: Result, form: SavedForm) => unknown) | undefined;
}

interface SavedForm {
  /** Makes the saved record the new `base` of the form. Edits that the user has made after the submit are kept. */
  rebase: (record: FormValues) => void;
}

export interface Form<Result> extends FormState {
  /** The saved values of edited fields that another user has changed too, by field name. */
  conflicts: FormValues;
  isPending: boolean;
  isDirty: boolean;
  problem: Problem | null;
  errors: FieldErrors;
  setValue: (name: string, value: string) => void;
  submit: (event?: FormEvent) => Promise<Result | null>;
  /** Sends the form again and confirms a price below the minimum margin. Null unless the server asks for this confirmation. */
  submitWithPriceConfirmation: (() => Promise<Result | null>) | null;
  /** Fetches the saved record and merges the edits into it. Null unless the last save had a conflict. */
  loadLatest: (() => Promise<FormValues | null>) | null;
  discardEdits: () => void;
  /** Asks the user whether to discard unsaved changes. Returns true without asking if there are none. */
  confirmLeave: () => boolean;
}

export function useForm<Result>(options: FormOptions<Result>): Form<Result> {
  const {
    spec,
    initialValues,
    mergesNewInitialValues,
    reload,
    unversionedLists = [],
    onChange,
    onProblem,
    onDone,
  } = options;
  const textFields = Object.keys(spec?.codecs ?? {}).filter((name) => spec?.codecs[name]?.mode === 'texts');
  const [base, setBase] = useState(initialValues);
  const [values, setValues] = useState(initialValues);
  const [conflicts, setConflicts] = useState<FormValues>({});
  const [previousInitialValues, setPreviousInitialValues] = useState(initialValues);
  if (mergesNewInitialValues && previousInitialValues !== initialValues) {
    // If there are conflicts, the form keeps its old base: the server then rejects the next save, and the user can load the
    // changes.
    setPreviousInitialValues(initialValues);
    const mergeResult = mergeEdits(base, values, initialValues, textFields);
    if (Object.keys(mergeResult.conflicts).length === 0) {
      setBase(initialValues);
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
    successMessage: options.successMessage,
    isIntermediateResult: options.isIntermediateResult,
    invalidatedQueries: options.invalidatedQueries,
    onProblem,
    onDone: (result, sentState) => {
      unsavedChanges.markSaved();
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
    send: reload ?? (async () => initialValues),
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
    // `onProblem` may have selected another tab, which is rendered after this effect, so the focus moves in the next frame.
    const animationFrame = requestAnimationFrame(() => focusFirstInvalid(formElement.current));
    return () => cancelAnimationFrame(animationFrame);
  }, [saveSubmission.problem]);
  const isPending = saveSubmission.isPending || reloadSubmission.isPending;
  const isDirty = hasChanges(spec, values, base);
  const unsavedChanges = useUnsavedChanges(isDirty, isPending);
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
    setValue: (name, value) => {
      setValues((values) => ({ ...values, [name]: value }));
      clearProblem();
      onChange?.();
    },
    submit: (event) => {
      event?.preventDefault();
      if (event?.currentTarget instanceof HTMLFormElement) formElement.current = event.currentTarget;
      return saveSubmission.submit({ values, base });
    },
    submitWithPriceConfirmation: canConfirmPrice(saveSubmission.problem)
      ? () => saveSubmission.submit({ values: { ...values, confirm_below_margin: 'yes' }, base })
      : null,
    loadLatest: reload && saveSubmission.isStale ? () => reloadSubmission.submit() : null,
    discardEdits: () => {
      setValues(base);
      setConflicts({});
      clearProblem();
    },
    confirmLeave: unsavedChanges.confirmLeave,
  };
}

/**
 * Replaces the server's errors of invalid numbers by readable errors, and adds errors that the server has not reported. Reason: the
 * server's messages contain data types, and the server stops at the first field of a wrong type.
 */
function withValidationErrors(error: unknown, spec: AnyFormSpec | undefined, values: FormValues): unknown {
  if (!(error instanceof Problem) || error.status !== 422) return error;
  const fieldErrors = findInvalidFields(spec, values).map(([name, codecError]): [string, string[]] => [
    name,
    [i18next.t(`ui.invalidInput.${codecError}`)],
  ]);
  return fieldErrors.length > 0 ? withFieldErrors(error, Object.fromEntries(fieldErrors)) : error;
}

/** Throws the same problem as the server does after a conflict, if another user has changed one of the lists. */
function throwIfListChanged(
  spec: AnyFormSpec | undefined,
  { values, base }: FormState,
  savedValues: FormValues,
  lists: readonly string[],
) {
  const hasChanged = (name: string) => {
    const savedList = sortListItems(spec, name, savedValues);
    // If the saved list is equal to the edited list, an earlier attempt of this form may have saved it.
    return savedList !== sortListItems(spec, name, base) && savedList !== sortListItems(spec, name, values);
  };
  if (lists.some(hasChanged))
    throw new Problem({ status: 409, code: STALE_RECORD_CODE, message: i18next.t('ui.conflict.record') });
}

/** Returns the items of a list in a fixed order, for comparison. */
function sortListItems(spec: AnyFormSpec | undefined, name: string, values: FormValues): string {
  const text = values[name] ?? '';
  const items = spec?.codecs[name]?.parse(text);
  return Array.isArray(items) ? items.map(String).sort().join() : text;
}
