// Keys of the whole console: ? help, Ctrl K jump, and g with a letter to go somewhere.
import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '@/session/hooks';
import { KEYS_OFF } from '@/table/useTableKeys';
import { SCREENS } from './screens';

/** How long after `g` a letter counts. */
const PAIR_MS = 1_000;

export const GO: Readonly<Record<string, string>> = {
  h: '/',
  o: '/orders',
  t: '/transactions',
  u: '/users',
  s: '/services',
};

export function useGoKeys({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }): void {
  const [, navigate] = useLocation();
  const may = useMay();
  const pressed = useRef(0);
  // Before the screen is painted: an effect after it would miss a key pressed at once.
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
      const to = event.timeStamp - pressed.current < PAIR_MS ? GO[event.key] : undefined;
      pressed.current = event.key === 'g' ? event.timeStamp : 0;
      const screen = SCREENS.find((screen) => screen.path === to);
      if (screen && may(...screen.permissions)) navigate(screen.path);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [may, navigate, onHelp, onPalette]);
}
