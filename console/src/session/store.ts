// The signed-in user, in a store outside of React, because API calls need it too. The token is in an HttpOnly cookie, so the store
// has only what the server has returned. If the session expires while a form is open, calls wait up to ten minutes until the same
// user has signed in again; after that the screen is cleared. The tabs of a browser share the cookie and notify each other of
// changes.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { clearSignedInCookie, setSignedInCookie } from './signedInCookie';

export type Profile = Schemas['Profile'];

export interface SessionState {
  profile: Profile | null;
  /** The session has expired while a screen was open. The user can sign in again, and the screen stays. */
  isExpired: boolean;
}

/** How long the user can sign in again before the screen is cleared. */
export const SIGN_IN_AGAIN_MS = 10 * 60_000;

type WaitingCall = { resolve: () => void; reject: (problem: Problem) => void };

/** The message to other tabs after the shared cookie has changed. `user` is the id of the user, or null after the sign-out. */
type TabMessage = { user: number | null };

class Session {
  #state: SessionState = { profile: null, isExpired: false };
  #listeners = new Set<() => void>();
  #waitingCalls: WaitingCall[] = [];
  #tokenVersion = 0;
  #isSigningOut = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #tabs = new BroadcastChannel('panel.session');

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#handleMessage(data);
  }

  state = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A number that grows whenever this tab or another tab gets a new token. */
  tokenVersion(): number {
    return this.#tokenVersion;
  }

  /** Starts or renews the session after the server has set the cookie. */
  begin(profile: Profile): void {
    setSignedInCookie();
    this.#tabs.postMessage({ user: profile.id } satisfies TabMessage);
    this.#tokenVersion += 1;
    this.#isSigningOut = false;
    if (this.#reloadForOtherUser(profile.id)) return;
    this.#set({ profile, isExpired: false });
    this.#resolveWaitingCalls();
  }

  /** Replaces the profile after the user has changed it. */
  updateProfile(profile: Profile): void {
    if (this.#state.profile?.id === profile.id) this.#set({ ...this.#state, profile });
  }

  /** Ends the session in all tabs. */
  end(): void {
    if (this.#state.profile) this.#tabs.postMessage({ user: null } satisfies TabMessage);
    this.#clear();
  }

  /** While the user signs out, a 401 must not open the dialog to sign in again. */
  setSigningOut(isSigningOut: boolean): void {
    this.#isSigningOut = isSigningOut;
  }

  /** Whether a 401 opens the dialog to sign in again. */
  canSignInAgain(): boolean {
    return this.#state.profile !== null && !this.#isSigningOut;
  }

  /** Resolves when the token is newer than `version`: immediately if another tab has already renewed it. */
  waitForSignIn(version: number): Promise<void> {
    if (version !== this.#tokenVersion && !this.#state.isExpired) return Promise.resolve();
    if (!this.canSignInAgain()) return Promise.reject(unauthenticatedProblem());
    this.#set({ ...this.#state, isExpired: true });
    this.#expiryTimer ??= setTimeout(() => this.#clear(), SIGN_IN_AGAIN_MS);
    return new Promise((resolve, reject) => this.#waitingCalls.push({ resolve, reject }));
  }

  #handleMessage({ user }: TabMessage): void {
    const { profile } = this.#state;
    if (!profile) return;
    if (user === null) {
      this.#clear();
      return;
    }
    this.#tokenVersion += 1;
    if (this.#reloadForOtherUser(user)) return;
    this.#set({ profile, isExpired: false });
    this.#resolveWaitingCalls();
  }

  /** Reloads the page if another user has signed in, who must not see the screen and the unsaved input of the old user. */
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
    for (const call of this.#waitingCalls.splice(0)) call.reject(unauthenticatedProblem());
  }

  #resolveWaitingCalls(): void {
    for (const call of this.#waitingCalls.splice(0)) call.resolve();
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

function unauthenticatedProblem(): Problem {
  return new Problem({ status: 401, code: 'unauthenticated', message: 'You are signed out. Sign in again.' });
}

export const session = new Session();
