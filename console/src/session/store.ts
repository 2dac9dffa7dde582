// The signed-in user, in a store outside of React, because API calls need it too. The token is in an HttpOnly cookie, so that the
// store knows only what the server answered. When the session expires under an open form, calls wait up to ten minutes until the
// same user has signed in again; then the screen is cleared. The tabs of a browser share the cookie and notify each other of
// changes.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { clearSignedInCookie, setSignedInCookie } from './signedInCookie';

export type Profile = Schemas['Profile'];

/** `isExpired`: the session has ended during work; the user can sign in again over the current screen. */
export interface SessionState {
  profile: Profile | null;
  isExpired: boolean;
}

/** How long the screen of an expired session is kept for signing in again. */
export const EXPIRED_SESSION_MS = 10 * 60_000;

type Waiting = { resolve: () => void; reject: (problem: Problem) => void };

/** The message to other tabs after the shared cookie has changed; `user` is the id of the signed-in user. */
type Message = { user: number | null };

class Session {
  #state: SessionState = { profile: null, isExpired: false };
  #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];
  #tokenVersion = 0;
  #isSigningOut = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #tabs = new BroadcastChannel('panel.session');

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<Message>) => this.#handleMessage(data);
  }

  state = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Incremented whenever the cookie gets a new token, from this tab or another. */
  tokenVersion(): number {
    return this.#tokenVersion;
  }

  /** Starts or renews the session after the server has set the cookie. */
  begin(profile: Profile): void {
    setSignedInCookie();
    this.#tabs.postMessage({ user: profile.id } satisfies Message);
    this.#tokenVersion += 1;
    this.#isSigningOut = false;
    if (this.#reloadForOtherUser(profile.id)) return;
    this.#set({ profile, isExpired: false });
    this.#resolveWaiting();
  }

  /** Replaces the profile after the user has changed it. */
  updateProfile(profile: Profile): void {
    if (this.#state.profile?.id === profile.id) this.#set({ ...this.#state, profile });
  }

  /** Ends the session in this tab and in all others. */
  end(): void {
    if (this.#state.profile) this.#tabs.postMessage({ user: null } satisfies Message);
    this.#clear();
  }

  /** During the sign-out a 401 does not ask the user to sign in again. */
  setSigningOut(isSigningOut: boolean): void {
    this.#isSigningOut = isSigningOut;
  }

  /** Whether a 401 should ask the user to sign in again. */
  canSignInAgain(): boolean {
    return this.#state.profile !== null && !this.#isSigningOut;
  }

  /** Resolves when the token is newer than `version`; at once when another tab has already renewed it. */
  waitForSignIn(version: number): Promise<void> {
    if (version !== this.#tokenVersion && !this.#state.isExpired) return Promise.resolve();
    if (!this.canSignInAgain()) return Promise.reject(unauthenticated());
    this.#set({ ...this.#state, isExpired: true });
    this.#expiryTimer ??= setTimeout(() => this.#clear(), EXPIRED_SESSION_MS);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #handleMessage({ user }: Message): void {
    const { profile } = this.#state;
    if (!profile) return;
    if (user === null) {
      this.#clear();
      return;
    }
    this.#tokenVersion += 1;
    if (this.#reloadForOtherUser(user)) return;
    this.#set({ profile, isExpired: false });
    this.#resolveWaiting();
  }

  /** Reloads the page when another user has signed in, who must not see the former user's screen or unsaved input. */
  #reloadForOtherUser(user: number): boolean {
    const { profile } = this.#state;
    if (!profile || profile.id === user) return false;
    location.reload();
    return true;
  }

  #clear(): void {
    clearSignedInCookie();
    this.#isSigningOut = false;
    this.#set({ profile: null, isExpired: false });
    for (const waiting of this.#waiting.splice(0)) waiting.reject(unauthenticated());
  }

  #resolveWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) waiting.resolve();
  }

  #set(state: SessionState): void {
    if (!state.isExpired) {
      clearTimeout(this.#expiryTimer);
      this.#expiryTimer = undefined;
    }
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function unauthenticated(): Problem {
  return new Problem({ status: 401, code: 'unauthenticated', message: 'You are signed out. Sign in again.' });
}

export const session = new Session();
