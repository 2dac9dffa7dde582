// Global keyboard shortcuts: ? help, Ctrl K command palette, and g followed by a letter for navigation.
import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useHasPermission } from '@/session/hooks';
import { KEYS_OFF } from '@/table/useTableKeys';
import { SCREENS } from './screens';

/** Longest time between `g` and the letter. */
const SEQUENCE_MS = 1_000;

export const GO_TARGETS: Readonly<Record<string, string>> = {
  h: '/',
  o: '/orders',
  t: '/transactions',
  u: '/users',
  s: '/services',
};

export function useGlobalKeys({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }): void {
  const [, navigate] = useLocation();
  const may = useHasPermission();
  const pressed = useRef(0);
  // A layout effect: a passive effect could miss a key pressed right after the first paint.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog]');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(KEYS_OFF)) return;
      if (event.key === '?') onHelp();
      const to = event.timeStamp - pressed.current < SEQUENCE_MS ? GO_TARGETS[event.key] : undefined;
      pressed.current = event.key === 'g' ? event.timeStamp : 0;
      const screen = SCREENS.find((screen) => screen.path === to);
      if (screen && may(...screen.permissions)) navigate(screen.path);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [may, navigate, onHelp, onPalette]);
}
