// Hooks that read the session.
import { useCallback, useSyncExternalStore } from 'react';
import type { Schemas } from '@/api/client';
import { type SessionState, session } from './store';

export type Permission = Schemas['Permission'];

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.getState);
}

/** Returns a function that checks whether the user has at least one of the permissions. It returns true for an empty list. */
export function useHasPermission(): (...permissions: readonly Permission[]) => boolean {
  const { profile } = useSession();
  return useCallback(
    (...permissions) =>
      permissions.length === 0 ||
      (profile?.allPermissions.some((permission) => permissions.includes(permission.name)) ?? false),
    [profile],
  );
}
