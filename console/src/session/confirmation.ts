// Step-up authentication: if the server rejects a request with `confirmation_required`, the request waits until the user has
// confirmed their identity with the password or a passkey, and is then sent again. Several waiting requests share one dialog.
import { useSyncExternalStore } from 'react';

class Confirmation {
  #pendingResolvers: ((isConfirmed: boolean) => void)[] = [];
  #listeners = new Set<() => void>();

  isPending = (): boolean => this.#pendingResolvers.length > 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the dialog. The promise resolves to false if the user cancels. */
  requestConfirmation(): Promise<boolean> {
    const result = new Promise<boolean>((resolve) => this.#pendingResolvers.push(resolve));
    this.#notify();
    return result;
  }

  /** Resolves the promises of all waiting requests. */
  resolve(isConfirmed: boolean): void {
    for (const resolvePending of this.#pendingResolvers.splice(0)) resolvePending(isConfirmed);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const confirmation = new Confirmation();

export const useIsConfirmationPending = (): boolean =>
  useSyncExternalStore(confirmation.subscribe, confirmation.isPending);
