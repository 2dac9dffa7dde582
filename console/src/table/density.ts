// The row density of all lists. The browser stores the density.
import { useSyncExternalStore } from 'react';

export type Density = 'compact' | 'comfortable';

const STORAGE_KEY = 'panel.density';
const listeners = new Set<() => void>();

const readDensity = (): Density => (localStorage.getItem(STORAGE_KEY) === 'comfortable' ? 'comfortable' : 'compact');

export function setDensity(density: Density): void {
  localStorage.setItem(STORAGE_KEY, density);
  for (const listener of listeners) listener();
}

export function useDensity(): Density {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readDensity);
}
