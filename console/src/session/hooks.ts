import { useCallback, useSyncExternalStore } from 'react';
import type { Schemas } from '@/api/client';
import { type SessionState, session } from './store';

/** A permission of the contract. */
export type Permission = Schemas['Permission'];

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}

/** Returns a predicate: whether the signed-in user has any one of `permissions`. An empty list is always allowed. */
export function useHasPermission(): (...permissions: readonly Permission[]) => boolean {
  const { profile } = useSession();
  return useCallback(
    (...permissions) =>
      permissions.length === 0 ||
      (profile?.allPermissions.some((permission) => permissions.includes(permission.name)) ?? false),
    [profile],
  );
}
