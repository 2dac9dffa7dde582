// Unsaved changes are not lost by accident: closing a dialog, following a link, Back and closing the tab ask first.
// What is unsaved stands outside of React, as the address changes outside of it too.
import i18next from 'i18next';
import { useCallback, useEffect, useRef } from 'react';

const dirty = new Set<object>();
/** The address of the screen with unsaved changes, to come back to. */
let here = '';

/** Whether the person wants to leave; asks only when something is unsaved. */
function mayLeave(): boolean {
  if (dirty.size === 0) return true;
  if (!window.confirm(i18next.t('ui.unsaved'))) return false;
  dirty.clear();
  return true;
}

interface Unsaved {
  /** Asks the person, where something is unsaved, and says whether they want to leave. */
  mayLeave: () => boolean;
  /** What was unsaved is saved: a screen that leads on from there asks nothing. */
  release: () => void;
}

/** Guards while `isDirty`, also while it `isSaving`: what the server refuses is still to be read. */
export function useUnsaved(isDirty: boolean, isSaving = false): Unsaved {
  const mine = useRef({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was released once it was saved is guarded anew where it is unsaved still.
  useEffect(() => {
    const form = mine.current;
    if (!isDirty) return;
    dirty.add(form);
    here = location.href;
    return () => void dirty.delete(form);
  }, [isDirty, isSaving]);
  const release = useCallback(() => void dirty.delete(mine.current), []);
  const mayLeave = useCallback(() => {
    if (!isDirty) return true;
    if (!window.confirm(i18next.t('ui.unsaved'))) return false;
    // Only this is given up; what is unsaved beside it stays guarded.
    dirty.delete(mine.current);
    return true;
  }, [isDirty]);
  return { mayLeave, release };
}

/** For the router: a link on a screen with unsaved changes. */
export function guarded<Rest extends unknown[]>(navigate: (...to: Rest) => void, ...to: Rest): void {
  if (mayLeave()) navigate(...to);
}

/** Back and Forward have moved already when they are heard of: whoever stays is put back. Before the router starts. */
export function guardHistory(): void {
  window.addEventListener('beforeunload', (event) => {
    if (dirty.size > 0) event.preventDefault();
  });
  window.addEventListener(
    'popstate',
    (event) => {
      if (location.href === here || mayLeave()) return;
      event.stopImmediatePropagation();
      history.pushState(null, '', here);
    },
    { capture: true },
  );
}
