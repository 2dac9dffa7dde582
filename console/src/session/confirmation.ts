// Step-up: a call that the server refuses until the person confirms who they are waits here, and goes out again once they
// have given their password. Several calls at once ask once.
import { useSyncExternalStore } from 'react';

class Confirmation {
  #waiting: ((isConfirmed: boolean) => void)[] = [];
  #listeners = new Set<() => void>();

  isAsked = (): boolean => this.#waiting.length > 0;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks the person; whether they confirmed. */
  ask(): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    this.#tell();
    return answer;
  }

  /** Answers all that wait. */
  settle(isConfirmed: boolean): void {
    for (const resolve of this.#waiting.splice(0)) resolve(isConfirmed);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const confirmation = new Confirmation();

export const useIsConfirmationAsked = (): boolean => useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
