// The light or dark color scheme: the one that the user has selected, otherwise that of the system. A new stylesheet replaces the
// old one only after it has loaded, so that the page does not flash.
import { useSyncExternalStore } from 'react';
import dark from './generated/dark.css?url';
import light from './generated/light.css?url';

export type ColorScheme = 'light' | 'dark';

const STORAGE_KEY = 'panel.theme';
const listeners = new Set<() => void>();
let colorScheme: ColorScheme = 'light';

function preferredScheme(): ColorScheme {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'light' || stored === 'dark') return stored;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

async function applyTheme(scheme: ColorScheme): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = scheme === 'dark' ? dark : light;
  link.dataset.theme = scheme;
  await new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    // At the start of the head, so that the console's own stylesheets override it.
    document.head.prepend(link);
  });
  for (const oldLink of document.querySelectorAll('link[data-theme]')) if (oldLink !== link) oldLink.remove();
  document.documentElement.dataset.theme = scheme;
  document.documentElement.style.colorScheme = scheme;
  colorScheme = scheme;
  for (const listener of listeners) listener();
}

export function startTheme(): Promise<void> {
  return applyTheme(preferredScheme());
}

export function toggleTheme(): void {
  const newScheme = colorScheme === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORAGE_KEY, newScheme);
  void applyTheme(newScheme);
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
