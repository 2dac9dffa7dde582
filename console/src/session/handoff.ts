// A single-use code in the address can sign in where the page is opened. It is taken out of the address before anything
// else can read it, and does not sign in by itself: the page asks first, whose session it would be and whose it would
// replace, as a link may come from anywhere.
import { useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { exchange } from './calls';
import { ownPath, saveDestination, takeDestination } from './destination';
import { session } from './store';

/** A sign-in that waits for an answer; without an owner the code is used or over. */
export interface Offer {
  code: string;
  owner: Schemas['HandoffOwner'] | null;
}

let offer: Offer | null = null;
const listeners = new Set<() => void>();

function set(next: Offer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useOffer = (): Offer | null => useSyncExternalStore(subscribe, () => offer);

/** Pages whose address carries a token of another kind. */
const OWN_TOKENS = ['/setup', '/set-password'];

/**
 * Takes the code of `#token=` or `?token=` out of the address, and where it should lead. Our links have it behind the `#`, where
 * no request and no log of a proxy carries it.
 */
export function takeCode(): string | null {
  const address = new URL(location.href);
  const hidden = new URLSearchParams(address.hash.slice(1));
  const code = hidden.get('token') ?? address.searchParams.get('token');
  if (!code || OWN_TOKENS.includes(address.pathname)) return null;
  const target = ownPath(hidden.get('redirect') ?? address.searchParams.get('redirect'));
  address.hash = '';
  address.searchParams.delete('token');
  address.searchParams.delete('redirect');
  history.replaceState(null, '', address);
  if (target) saveDestination(target, '');
  return code;
}

/** Offers the sign-in of a code, after the session of this browser was taken up. One's own session simply goes on. */
export async function offerSignIn(code: string): Promise<void> {
  const owner = await unwrap(api.POST('/handoff/show', { body: { code } })).then(
    ({ data }) => data,
    () => null,
  );
  const profile = session.state().profile;
  if (profile && (!owner || owner.id === profile.id)) follow();
  else set({ code, owner });
}

/** Signs in as the owner of the code. */
export async function accept(code: string): Promise<void> {
  await exchange(code);
  follow();
  set(null);
}

/** Leaves everything as it is. */
export function decline(): void {
  set(null);
}

/** From the root of the console and from sign-in, the saved destination is followed. */
function follow(): void {
  if (location.pathname !== '/' && location.pathname !== '/login') return;
  const destination = takeDestination();
  if (destination !== '/' || location.pathname === '/login') history.replaceState(null, '', destination);
}
