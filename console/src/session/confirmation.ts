// Step-up authentication: a call that the server has rejected with `confirmation_required` waits until the user has confirmed their
// identity with the password or a passkey. Then it is sent again. Several waiting calls share one dialog.
import { useSyncExternalStore } from 'react';

class Confirmation {
  #pendingRequests: ((isConfirmed: boolean) => void)[] = [];
  #listeners = new Set<() => void>();

  isPending = (): boolean => this.#pendingRequests.length > 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the dialog. The promise resolves to whether the user has confirmed. */
  request(): Promise<boolean> {
    const result = new Promise<boolean>((resolve) => this.#pendingRequests.push(resolve));
    this.#notify();
    return result;
  }

  /** Resolves the promises of all requests. */
  resolve(isConfirmed: boolean): void {
    for (const settle of this.#pendingRequests.splice(0)) settle(isConfirmed);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const confirmation = new Confirmation();

export const useIsConfirmationPending = (): boolean =>
  useSyncExternalStore(confirmation.subscribe, confirmation.isPending);
