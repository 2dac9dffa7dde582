// Protects unsaved changes: before the user closes a dialog, follows a link, goes back or closes the tab, they must confirm that
// the changes are discarded. The state is outside of React, because the URL also changes outside of React.
import i18next from 'i18next';
import { useCallback, useEffect, useRef } from 'react';

const dirtyForms = new Set<object>();
/** The URL of the screen with unsaved changes, which is restored if the user stays. */
let dirtyUrl = '';

/** Asks the user whether to discard all unsaved changes. Returns true without asking if there are none. */
function confirmDiscardingAllForms(): boolean {
  if (dirtyForms.size === 0) return true;
  if (!window.confirm(i18next.t('ui.confirmDiscard'))) return false;
  dirtyForms.clear();
  return true;
}

interface UnsavedChanges {
  /** Asks the user whether to discard the changes of this form. Returns true without asking if there are none. */
  confirmLeave: () => boolean;
  /** Marks the changes as saved, so that the next navigation does not ask. */
  markSaved: () => void;
}

/** Protects the changes of the form while `isDirty` is true, also during a save, because the save may fail. */
export function useUnsavedChanges(isDirty: boolean, isSaving = false): UnsavedChanges {
  const form = useRef({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: a form that is still dirty after a save is protected again.
  useEffect(() => {
    const formKey = form.current;
    if (!isDirty) return;
    dirtyForms.add(formKey);
    dirtyUrl = location.href;
    return () => void dirtyForms.delete(formKey);
  }, [isDirty, isSaving]);
  const markSaved = useCallback(() => void dirtyForms.delete(form.current), []);
  const confirmLeave = useCallback(() => {
    if (!isDirty) return true;
    if (!window.confirm(i18next.t('ui.confirmDiscard'))) return false;
    // Only this form is discarded: other dirty forms stay protected.
    dirtyForms.delete(form.current);
    return true;
  }, [isDirty]);
  return { confirmLeave, markSaved };
}

/** Calls `navigate` of the router, after the user has confirmed that unsaved changes are discarded. */
export function confirmNavigation<Parameters extends unknown[]>(
  navigate: (...parameters: Parameters) => void,
  ...parameters: Parameters
): void {
  if (confirmDiscardingAllForms()) navigate(...parameters);
}

/**
 * Registers listeners that ask the user before Back, Forward and closing the tab. `popstate` fires after the URL has changed, so
 * the old URL is restored if the user stays. Call this before the router starts: the router must not receive the event if the user
 * stays.
 */
export function confirmBeforeLeavingUnsavedForms(): void {
  window.addEventListener('beforeunload', (event) => {
    if (dirtyForms.size > 0) event.preventDefault();
  });
  window.addEventListener(
    'popstate',
    (event) => {
      if (location.href === dirtyUrl || confirmDiscardingAllForms()) return;
      event.stopImmediatePropagation();
      history.pushState(null, '', dirtyUrl);
    },
    { capture: true },
  );
}
