// Step-up authentication: a call that the server rejects with `confirmation_required` waits here until the user has confirmed by
// password or passkey, and is then repeated. Several pending calls share one dialog.
import { useSyncExternalStore } from 'react';

class Confirmation {
  #waiting: ((isConfirmed: boolean) => void)[] = [];
  #listeners = new Set<() => void>();

  isPending = (): boolean => this.#waiting.length > 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the dialog. Resolves to whether the user has confirmed. */
  request(): Promise<boolean> {
    const result = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    this.#notify();
    return result;
  }

  /** Resolves all waiting calls. */
  resolve(isConfirmed: boolean): void {
    for (const settle of this.#waiting.splice(0)) settle(isConfirmed);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const confirmation = new Confirmation();

export const useIsConfirmationPending = (): boolean =>
  useSyncExternalStore(confirmation.subscribe, confirmation.isPending);
