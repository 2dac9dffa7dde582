// How close the rows of all lists stand: compact, or with more air. Remembered.
import { useSyncExternalStore } from 'react';

export type Density = 'compact' | 'comfortable';

const STORED = 'panel.density';
const listeners = new Set<() => void>();

const read = (): Density => (localStorage.getItem(STORED) === 'comfortable' ? 'comfortable' : 'compact');

export function setDensity(density: Density): void {
  localStorage.setItem(STORED, density);
  for (const listener of listeners) listener();
}

export function useDensity(): Density {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
}
