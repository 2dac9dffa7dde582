// Short messages of what was done, with undo where there is one. Only this store shows them.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  tone: 'success' | 'error' | 'info';
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

const MOST = 4;
let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(list: readonly Toast[]): void {
  toasts = list;
  for (const listener of listeners) listener();
}

export function toast(message: Omit<Toast, 'id'>): void {
  set([...toasts, { ...message, id: next++ }].slice(-MOST));
}

export function dismiss(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
