// The store of toasts: short messages, some with an action such as "Undo".
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  tone: 'success' | 'error' | 'info';
  text: string;
  detail?: string;
  action?: { label: string; onClick: () => void };
}

const MAX_TOASTS = 4;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(newToasts: readonly Toast[]): void {
  toasts = newToasts;
  for (const listener of listeners) listener();
}

export function toast(content: Omit<Toast, 'id'>): void {
  setToasts([...toasts, { ...content, id: nextId++ }].slice(-MAX_TOASTS));
}

export function dismissToast(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id));
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
