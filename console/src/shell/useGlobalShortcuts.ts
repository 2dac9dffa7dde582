// The global keyboard shortcuts: ? opens the help, Ctrl K the command palette, and g followed by a letter a screen.
import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useHasPermission } from '@/session/hooks';
import { SHORTCUTS_OFF_KEY } from '@/table/useTableShortcuts';
import { SCREENS } from './screens';

/** The longest time between `g` and the letter. */
const SEQUENCE_MS = 1_000;

export const PATHS_AFTER_G: Readonly<Record<string, string>> = {
  h: '/',
  o: '/orders',
  t: '/transactions',
  u: '/users',
  s: '/services',
};

export function useGlobalShortcuts({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }): void {
  const [, navigate] = useLocation();
  const hasPermission = useHasPermission();
  /** When the user has pressed `g`; 0 if the last key was another one. */
  const gPressedAtMs = useRef(0);
  // A layout effect, because a passive effect could miss a key that is pressed right after the first paint.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog]');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(SHORTCUTS_OFF_KEY)) return;
      if (event.key === '?') onHelp();
      const path = event.timeStamp - gPressedAtMs.current < SEQUENCE_MS ? PATHS_AFTER_G[event.key] : undefined;
      gPressedAtMs.current = event.key === 'g' ? event.timeStamp : 0;
      const screen = SCREENS.find((screen) => screen.path === path);
      if (screen && hasPermission(...screen.permissions)) navigate(screen.path);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [hasPermission, navigate, onHelp, onPalette]);
}
