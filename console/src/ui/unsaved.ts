// Protects unsaved changes: closing a dialog, following a link, Back and closing the tab ask for a confirmation first. The state is
// outside of React, because the URL also changes outside of React.
import i18next from 'i18next';
import { useCallback, useEffect, useRef } from 'react';

const dirty = new Set<object>();
/** URL of the screen with unsaved changes, to return to. */
let dirtyUrl = '';

/** Asks whether to discard unsaved changes; true when there are none. */
function confirmDiscard(): boolean {
  if (dirty.size === 0) return true;
  if (!window.confirm(i18next.t('ui.unsaved'))) return false;
  dirty.clear();
  return true;
}

interface Unsaved {
  /** Asks whether to discard this form's unsaved changes; true when there are none. */
  confirmLeave: () => boolean;
  /** Marks the changes as saved, so that a following navigation does not ask. */
  markSaved: () => void;
}

/** Protects the form while `isDirty`, also while it `isSaving`, because the save may fail. */
export function useUnsaved(isDirty: boolean, isSaving = false): Unsaved {
  const form = useRef({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: a form that is still dirty after a save is protected again.
  useEffect(() => {
    const key = form.current;
    if (!isDirty) return;
    dirty.add(key);
    dirtyUrl = location.href;
    return () => void dirty.delete(key);
  }, [isDirty, isSaving]);
  const markSaved = useCallback(() => void dirty.delete(form.current), []);
  const confirmLeave = useCallback(() => {
    if (!isDirty) return true;
    if (!window.confirm(i18next.t('ui.unsaved'))) return false;
    // Discards this form only; other dirty forms stay protected.
    dirty.delete(form.current);
    return true;
  }, [isDirty]);
  return { confirmLeave, markSaved };
}

/** Wraps navigation of the router with the confirmation. */
export function confirmNavigation<Rest extends unknown[]>(navigate: (...to: Rest) => void, ...to: Rest): void {
  if (confirmDiscard()) navigate(...to);
}

/** Adds the confirmation to Back, Forward and closing the tab. `popstate` fires after the URL has changed, so that staying restores
 * it. Must be called before the router starts. */
export function guardHistory(): void {
  window.addEventListener('beforeunload', (event) => {
    if (dirty.size > 0) event.preventDefault();
  });
  window.addEventListener(
    'popstate',
    (event) => {
      if (location.href === dirtyUrl || confirmDiscard()) return;
      event.stopImmediatePropagation();
      history.pushState(null, '', dirtyUrl);
    },
    { capture: true },
  );
}
