// The light or dark color scheme: the scheme that the user has selected, otherwise the scheme of the operating system. A new
// stylesheet replaces the old one only after the new one has loaded, so that the page does not flash.
import { useSyncExternalStore } from 'react';
import darkThemeUrl from './generated/dark.css?url';
import lightThemeUrl from './generated/light.css?url';

export type ColorScheme = 'light' | 'dark';

const STORAGE_KEY = 'panel.theme';
const listeners = new Set<() => void>();
let colorScheme: ColorScheme = 'light';

function preferredScheme(): ColorScheme {
  const storedScheme = localStorage.getItem(STORAGE_KEY);
  if (storedScheme === 'light' || storedScheme === 'dark') return storedScheme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

async function applyColorScheme(scheme: ColorScheme): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = scheme === 'dark' ? darkThemeUrl : lightThemeUrl;
  link.dataset.theme = scheme;
  await new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    // At the start of the head, so that the other stylesheets of the console override it.
    document.head.prepend(link);
  });
  for (const oldLink of document.querySelectorAll('link[data-theme]')) if (oldLink !== link) oldLink.remove();
  document.documentElement.dataset.theme = scheme;
  document.documentElement.style.colorScheme = scheme;
  colorScheme = scheme;
  for (const listener of listeners) listener();
}

export function initColorScheme(): Promise<void> {
  return applyColorScheme(preferredScheme());
}

export function toggleColorScheme(): void {
  const newScheme = colorScheme === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORAGE_KEY, newScheme);
  void applyColorScheme(newScheme);
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
