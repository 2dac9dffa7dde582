// Sign-in with a single-use code in the URL. The code is removed from the URL before other scripts can read it. It must never sign
// in without asking the user: the link may come from an attacker, so the page shows which account it signs in and which it signs
// out.
import { useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { exchangeHandoffCode } from './calls';
import { consumeDestination, parseInternalPath, saveDestination } from './destination';
import { session } from './store';

/** A sign-in that waits for the user's decision. */
export interface HandoffOffer {
  code: string;
  /** Null if the code was used or has expired. */
  owner: Schemas['HandoffOwner'] | null;
}

let offer: HandoffOffer | null = null;
const listeners = new Set<() => void>();

function setOffer(newOffer: HandoffOffer | null): void {
  offer = newOffer;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useHandoffOffer = (): HandoffOffer | null => useSyncExternalStore(subscribe, () => offer);

/** Pages that have a token of another type in the URL. */
const PATHS_WITH_OTHER_TOKENS = ['/setup', '/set-password'];

/**
 * Removes the code (`#token=` or `?token=`) and the redirect from the URL, and returns the code. The links of the server have the
 * code in the fragment: browsers do not send the fragment, so it does not appear in the logs of proxies.
 */
export function extractHandoffCode(): string | null {
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

/** Offers the sign-in with a code. Call it after the session was resumed: a session of the same user stays, without a question. */
export async function offerSignIn(code: string): Promise<void> {
  const owner = await unwrap(api.POST('/handoff/show', { body: { code } })).then(
    ({ data }) => data,
    () => null,
  );
  const profile = session.state().profile;
  if (profile && (!owner || owner.id === profile.id)) followDestination();
  else setOffer({ code, owner });
}

/** Signs in as the owner of the code. */
export async function acceptHandoff(code: string): Promise<void> {
  await exchangeHandoffCode(code);
  followDestination();
  setOffer(null);
}

/** Keeps the current session. */
export function declineHandoff(): void {
  setOffer(null);
}

/** Opens the saved destination if the current page is the root or the sign-in page. */
function followDestination(): void {
  if (location.pathname !== '/' && location.pathname !== '/login') return;
  const destination = consumeDestination();
  if (destination !== '/' || location.pathname === '/login') history.replaceState(null, '', destination);
}
