// Who is signed in, outside of React, as calls need it too. A session that ends under an open form is not thrown
// away: calls wait until the same person has signed in again.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { readToken, writeToken } from './token';

export type Profile = Schemas['Profile'];

/** `asleep`: the token has ended while someone was at work; they may sign in again where they are. */
export interface SessionState {
  profile: Profile | null;
  asleep: boolean;
}

type Waiting = { resolve: () => void; reject: (problem: Problem) => void };

class Session {
  #state: SessionState = { profile: null, asleep: false };
  #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];

  state = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  token(): string | null {
    return readToken();
  }

  /** Signs in, or in again. Somebody else than before may not go on in the other's unsaved work. */
  begin(profile: Profile, token: string): void {
    const before = this.#state.profile;
    writeToken(token);
    if (this.#state.asleep && before && before.id !== profile.id) {
      location.reload();
      return;
    }
    this.#set({ profile, asleep: false });
    for (const waiting of this.#waiting.splice(0)) waiting.resolve();
  }

  /** Signs out here. */
  end(): void {
    writeToken(null);
    this.#set({ profile: null, asleep: false });
    this.#giveUp();
  }

  /** Resolves once there is another token than `dead`; at once when another tab has seen to it. */
  revived(dead: string): Promise<void> {
    const now = readToken();
    if (now && now !== dead && !this.#state.asleep) return Promise.resolve();
    if (!this.#state.profile) {
      this.end();
      return Promise.reject(ended());
    }
    this.#set({ ...this.#state, asleep: true });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #giveUp(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(ended());
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function ended(): Problem {
  return new Problem({ status: 401, code: 'unauthenticated', message: 'You are signed out. Sign in again.' });
}

export const session = new Session();
