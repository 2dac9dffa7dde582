// The store of toasts: short messages, optionally with an action such as undo.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  tone: 'success' | 'error' | 'info';
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

const MAX_TOASTS = 4;
let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(list: readonly Toast[]): void {
  toasts = list;
  for (const listener of listeners) listener();
}

export function toast(message: Omit<Toast, 'id'>): void {
  set([...toasts, { ...message, id: next++ }].slice(-MAX_TOASTS));
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
