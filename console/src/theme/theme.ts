// Light or dark: remembered, otherwise as the system has it. The new sheet is taken once it is loaded, so nothing flashes.
import { useSyncExternalStore } from 'react';
import dark from './made/dark.css?url';
import light from './made/light.css?url';

export type Shade = 'light' | 'dark';

const STORED = 'panel.theme';
const listeners = new Set<() => void>();
let shade: Shade = 'light';

function preferred(): Shade {
  const stored = localStorage.getItem(STORED);
  if (stored === 'light' || stored === 'dark') return stored;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

async function wear(next: Shade): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = next === 'dark' ? dark : light;
  link.dataset.theme = next;
  await new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    // First among the sheets: ours stand above it.
    document.head.prepend(link);
  });
  for (const other of document.querySelectorAll('link[data-theme]')) if (other !== link) other.remove();
  document.documentElement.dataset.theme = next;
  document.documentElement.style.colorScheme = next;
  shade = next;
  for (const listener of listeners) listener();
}

export function startTheme(): Promise<void> {
  return wear(preferred());
}

export function toggleTheme(): void {
  const next = shade === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORED, next);
  void wear(next);
}

export function useShade(): Shade {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shade,
  );
}
