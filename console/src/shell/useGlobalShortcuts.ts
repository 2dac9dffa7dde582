// The global keyboard shortcuts: ? opens the list of shortcuts, Ctrl K opens the command palette, and g followed by a letter opens
// a screen.
import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useHasPermission } from '@/session/hooks';
import { SHORTCUTS_DISABLED_STORAGE_KEY } from '@/table/useTableShortcuts';
import { SCREENS } from './screens';

/** The maximum time between `g` and the letter. */
const MAX_SEQUENCE_MS = 1_000;

const PATHS_BY_LETTER: Readonly<Record<string, string>> = {
  h: '/',
  o: '/orders',
  t: '/transactions',
  u: '/users',
  s: '/services',
};

export function useGlobalShortcuts({
  onOpenHelp,
  onOpenPalette,
}: {
  onOpenHelp: () => void;
  onOpenPalette: () => void;
}): void {
  const [, navigate] = useLocation();
  const hasPermission = useHasPermission();
  /** The time stamp of the last key event if its key was `g`, otherwise 0. */
  const gPressedAtMs = useRef(0);
  // A layout effect, because a passive effect could miss a key that is pressed right after the first paint.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onOpenPalette();
        return;
      }
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog]') !== null;
      if (
        isTyping ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        localStorage.getItem(SHORTCUTS_DISABLED_STORAGE_KEY)
      )
        return;
      if (event.key === '?') onOpenHelp();
      const path = event.timeStamp - gPressedAtMs.current < MAX_SEQUENCE_MS ? PATHS_BY_LETTER[event.key] : undefined;
      gPressedAtMs.current = event.key === 'g' ? event.timeStamp : 0;
      const screen = SCREENS.find((screen) => screen.path === path);
      if (screen && hasPermission(...screen.permissions)) navigate(screen.path);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [hasPermission, navigate, onOpenHelp, onOpenPalette]);
}
