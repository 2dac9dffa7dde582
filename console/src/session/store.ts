// Who is signed in, outside of React, as calls need it too. The token is in a cookie that no script can read, so this
// knows only what the server answered. A session that ends under an open form is not thrown away: calls wait until the
// same person has signed in again, for ten minutes: then what is on the screen is no longer theirs to see. The tabs of one browser share the cookie and tell each other when it changes.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { clearMark, markSignedIn } from './mark';

export type Profile = Schemas['Profile'];

/** `asleep`: the session has ended while someone was at work; they may sign in again where they are. */
export interface SessionState {
  profile: Profile | null;
  asleep: boolean;
}

/** How long an ended session keeps its screen, so that its person signs in over what they were typing. */
export const ASLEEP_MS = 10 * 60_000;

type Waiting = { resolve: () => void; reject: (problem: Problem) => void };

/** What another tab did with the cookie that all tabs share; `user` is who is signed in since then. */
type Message = { user: number | null };

class Session {
  #state: SessionState = { profile: null, asleep: false };
  #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];
  #epoch = 0;
  #isLeaving = false;
  #asleepTimer: ReturnType<typeof setTimeout> | undefined;
  #tabs = new BroadcastChannel('panel.session');

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
  }

  state = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Grows whenever the cookie has a new token, from this tab or another. */
  epoch(): number {
    return this.#epoch;
  }

  /** Signs in, or in again: the server has set the cookie. */
  begin(profile: Profile): void {
    markSignedIn();
    this.#tabs.postMessage({ user: profile.id } satisfies Message);
    this.#epoch += 1;
    this.#isLeaving = false;
    if (this.#isAnother(profile.id)) return;
    this.#set({ profile, asleep: false });
    this.#resume();
  }

  /** The same person's profile as they have changed it. */
  renew(profile: Profile): void {
    if (this.#state.profile?.id === profile.id) this.#set({ ...this.#state, profile });
  }

  /** Signs out here, and in the other tabs where this one was signed in. */
  end(): void {
    if (this.#state.profile) this.#tabs.postMessage({ user: null } satisfies Message);
    this.#forget();
  }

  /** While someone signs out, a refused call does not ask them to sign in again. */
  leave(isLeaving: boolean): void {
    this.#isLeaving = isLeaving;
  }

  /** Whether a refused call is worth asking the person to sign in again. */
  canRevive(): boolean {
    return this.#state.profile !== null && !this.#isLeaving;
  }

  /** Resolves once there is a newer token than at `epoch`; at once when another tab has seen to it. */
  revived(epoch: number): Promise<void> {
    if (epoch !== this.#epoch && !this.#state.asleep) return Promise.resolve();
    if (!this.canRevive()) return Promise.reject(ended());
    this.#set({ ...this.#state, asleep: true });
    this.#asleepTimer ??= setTimeout(() => this.#forget(), ASLEEP_MS);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #hear({ user }: Message): void {
    const { profile } = this.#state;
    if (!profile) return;
    if (user === null) {
      this.#forget();
      return;
    }
    this.#epoch += 1;
    if (this.#isAnother(user)) return;
    this.#set({ profile, asleep: false });
    this.#resume();
  }

  /** Another person than before may neither see the former person's screen nor continue their unsaved work. */
  #isAnother(user: number): boolean {
    const { profile } = this.#state;
    if (!profile || profile.id === user) return false;
    location.reload();
    return true;
  }

  #forget(): void {
    clearMark();
    this.#isLeaving = false;
    this.#set({ profile: null, asleep: false });
    for (const waiting of this.#waiting.splice(0)) waiting.reject(ended());
  }

  #resume(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.resolve();
  }

  #set(state: SessionState): void {
    if (!state.asleep) {
      clearTimeout(this.#asleepTimer);
      this.#asleepTimer = undefined;
    }
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function ended(): Problem {
  return new Problem({ status: 401, code: 'unauthenticated', message: 'You are signed out. Sign in again.' });
}

export const session = new Session();
