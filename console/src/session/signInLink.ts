// Sign-in with a link that has a single-use code in its URL (the server calls it a handoff code). The code is removed from the URL
// before other scripts can read it. A link must never sign in without asking the user, because it may come from an attacker: the
// page shows which account the link signs in, and which account it signs out.
import { useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { consumeDestination, parseInternalPath, saveDestination } from './destination';
import { signInWithCode } from './requests';
import { session } from './store';

/** A sign-in link that waits for the decision of the user. */
export interface SignInLinkOffer {
  code: string;
  /** The account that the code signs in. Null if the code was used or has expired. */
  owner: Schemas['SignInCodeOwner'] | null;
}

let offer: SignInLinkOffer | null = null;
const listeners = new Set<() => void>();

function setOffer(newOffer: SignInLinkOffer | null): void {
  offer = newOffer;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSignInLinkOffer = (): SignInLinkOffer | null => useSyncExternalStore(subscribe, () => offer);

/** Pages that have a token of another type in the URL. */
const PATHS_WITH_OTHER_TOKENS = ['/setup', '/set-password'];

/**
 * Removes the code (`#token=` or `?token=`) and the redirect from the URL, and returns the code. The links of the server have the
 * code in the fragment: browsers do not send the fragment, so it does not appear in the logs of proxies.
 */
export function extractSignInCode(): string | null {
  const url = new URL(location.href);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const code = fragment.get('token') ?? url.searchParams.get('token');
  if (!code || PATHS_WITH_OTHER_TOKENS.includes(url.pathname)) return null;
  const destination = parseInternalPath(fragment.get('redirect') ?? url.searchParams.get('redirect'));
  url.hash = '';
  url.searchParams.delete('token');
  url.searchParams.delete('redirect');
  history.replaceState(null, '', url);
  if (destination) saveDestination(destination, '');
  return code;
}

/**
 * Asks the user whether to sign in with the code. Does not ask if the owner of the code is already signed in, so it must be called
 * after the session was resumed.
 */
export async function askToSignInWithCode(code: string): Promise<void> {
  const owner = await unwrap(api.POST('/handoff/show', { body: { code } })).then(
    ({ data }) => data,
    () => null,
  );
  const profile = session.getState().profile;
  if (profile && (!owner || owner.id === profile.id)) openDestination();
  else setOffer({ code, owner });
}

export async function acceptSignInLink(code: string): Promise<void> {
  await signInWithCode(code);
  openDestination();
  setOffer(null);
}

export function declineSignInLink(): void {
  setOffer(null);
}

/** Opens the saved destination if the current page is the root or the sign-in page. */
function openDestination(): void {
  if (location.pathname !== '/' && location.pathname !== '/login') return;
  const destination = consumeDestination();
  if (destination !== '/' || location.pathname === '/login') history.replaceState(null, '', destination);
}
