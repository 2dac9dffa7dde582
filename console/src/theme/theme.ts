// Light or dark color scheme: the stored choice, else the system's. A new stylesheet replaces the old one after it has loaded, so
// that the page does not flash.
import { useSyncExternalStore } from 'react';
import dark from './made/dark.css?url';
import light from './made/light.css?url';

export type ColorScheme = 'light' | 'dark';

const STORAGE_KEY = 'panel.theme';
const listeners = new Set<() => void>();
let colorScheme: ColorScheme = 'light';

function preferredScheme(): ColorScheme {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'light' || stored === 'dark') return stored;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

async function applyTheme(next: ColorScheme): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = next === 'dark' ? dark : light;
  link.dataset.theme = next;
  await new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    // First in the head: the console's own stylesheets override it.
    document.head.prepend(link);
  });
  for (const other of document.querySelectorAll('link[data-theme]')) if (other !== link) other.remove();
  document.documentElement.dataset.theme = next;
  document.documentElement.style.colorScheme = next;
  colorScheme = next;
  for (const listener of listeners) listener();
}

export function startTheme(): Promise<void> {
  return applyTheme(preferredScheme());
}

export function toggleTheme(): void {
  const next = colorScheme === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORAGE_KEY, next);
  void applyTheme(next);
}

export function useColorScheme(): ColorScheme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => colorScheme,
  );
}
