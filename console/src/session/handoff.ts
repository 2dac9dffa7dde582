// Sign-in by a single-use code in the URL. The code is removed from the URL before other code can read it. It never signs in
// without asking: the page shows whose session would start and whose would end, because a link may come from an attacker.
import { useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { exchangeHandoffCode } from './calls';
import { consumeDestination, internalPath, saveDestination } from './destination';
import { session } from './store';

/** A sign-in that waits for the user's decision. Without an owner the code was used or has expired. */
export interface HandoffOffer {
  code: string;
  owner: Schemas['HandoffOwner'] | null;
}

let offer: HandoffOffer | null = null;
const listeners = new Set<() => void>();

function set(next: HandoffOffer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useHandoffOffer = (): HandoffOffer | null => useSyncExternalStore(subscribe, () => offer);

/** Pages whose URL has another type of token. */
const PATHS_WITH_OTHER_TOKENS = ['/setup', '/set-password'];

/**
 * Removes the code (`#token=` or `?token=`) and the redirect from the URL, and returns the code. Generated links have it in the
 * fragment, which is not sent in requests and does not appear in proxy logs.
 */
export function extractHandoffCode(): string | null {
  const url = new URL(location.href);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const code = fragment.get('token') ?? url.searchParams.get('token');
  if (!code || PATHS_WITH_OTHER_TOKENS.includes(url.pathname)) return null;
  const target = internalPath(fragment.get('redirect') ?? url.searchParams.get('redirect'));
  url.hash = '';
  url.searchParams.delete('token');
  url.searchParams.delete('redirect');
  history.replaceState(null, '', url);
  if (target) saveDestination(target, '');
  return code;
}

/** Offers the sign-in of a code. Must run after the session was resumed: a session of the same user is kept without asking. */
export async function offerSignIn(code: string): Promise<void> {
  const owner = await unwrap(api.POST('/handoff/show', { body: { code } })).then(
    ({ data }) => data,
    () => null,
  );
  const profile = session.state().profile;
  if (profile && (!owner || owner.id === profile.id)) followDestination();
  else set({ code, owner });
}

/** Signs in as the owner of the code. */
export async function acceptHandoff(code: string): Promise<void> {
  await exchangeHandoffCode(code);
  followDestination();
  set(null);
}

/** Keeps the current session. */
export function declineHandoff(): void {
  set(null);
}

/** Goes to the saved destination, if the current page is the root or the sign-in page. */
function followDestination(): void {
  if (location.pathname !== '/' && location.pathname !== '/login') return;
  const destination = consumeDestination();
  if (destination !== '/' || location.pathname === '/login') history.replaceState(null, '', destination);
}
