// The signed-in user, in a store outside of React, because API requests need it too. The token is in an HttpOnly cookie that
// scripts cannot read, so the store holds only the profile. If the session expires while a form is open, requests wait up to ten
// minutes until the same user has signed in again; after that the screen is cleared. The tabs of a browser share the cookie and
// notify each other when it changes.
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
export const SIGN_IN_AGAIN_TIMEOUT_MS = 10 * 60_000;

type WaitingRequest = { resolve: () => void; reject: (problem: Problem) => void };

/** The message to other tabs after the shared cookie has changed. `userId` is null after the sign-out. */
type TabMessage = { userId: number | null };

class Session {
  #state: SessionState = { profile: null, isExpired: false };
  #listeners = new Set<() => void>();
  #waitingRequests: WaitingRequest[] = [];
  #tokenVersion = 0;
  #isSigningOut = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #tabs = new BroadcastChannel('panel.session');

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#handleMessage(data);
  }

  getState = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A number that grows whenever this tab or another tab gets a new token. */
  getTokenVersion(): number {
    return this.#tokenVersion;
  }

  /** Starts or renews the session after the server has set the cookie. */
  begin(profile: Profile): void {
    setSignedInCookie();
    this.#tabs.postMessage({ userId: profile.id } satisfies TabMessage);
    this.#tokenVersion += 1;
    this.#isSigningOut = false;
    if (this.#reloadForOtherUser(profile.id)) return;
    this.#setState({ profile, isExpired: false });
    this.#resolveWaitingRequests();
  }

  /** Replaces the profile after the user has changed it. */
  updateProfile(profile: Profile): void {
    if (this.#state.profile?.id === profile.id) this.#setState({ ...this.#state, profile });
  }

  /** Ends the session in all tabs. */
  end(): void {
    if (this.#state.profile) this.#tabs.postMessage({ userId: null } satisfies TabMessage);
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

  /**
   * Asks the user to sign in again, and resolves when the token version differs from `version`: immediately if another tab has
   * already renewed the token.
   */
  waitForSignIn(version: number): Promise<void> {
    if (version !== this.#tokenVersion && !this.#state.isExpired) return Promise.resolve();
    if (!this.canSignInAgain()) return Promise.reject(unauthenticatedProblem());
    this.#setState({ ...this.#state, isExpired: true });
    this.#expiryTimer ??= setTimeout(() => this.#clear(), SIGN_IN_AGAIN_TIMEOUT_MS);
    return new Promise((resolve, reject) => this.#waitingRequests.push({ resolve, reject }));
  }

  #handleMessage({ userId }: TabMessage): void {
    const { profile } = this.#state;
    if (!profile) return;
    if (userId === null) {
      this.#clear();
      return;
    }
    this.#tokenVersion += 1;
    if (this.#reloadForOtherUser(userId)) return;
    this.#setState({ profile, isExpired: false });
    this.#resolveWaitingRequests();
  }

  /** Reloads the page if another user has signed in, who must not see the screen and the unsaved input of the old user. */
  #reloadForOtherUser(userId: number): boolean {
    const { profile } = this.#state;
    if (!profile || profile.id === userId) return false;
    location.reload();
    return true;
  }

  #clear(): void {
    clearSignedInCookie();
    this.#isSigningOut = false;
    this.#setState({ profile: null, isExpired: false });
    for (const request of this.#waitingRequests.splice(0)) request.reject(unauthenticatedProblem());
  }

  #resolveWaitingRequests(): void {
    for (const request of this.#waitingRequests.splice(0)) request.resolve();
  }

  #setState(state: SessionState): void {
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
