import { useCallback, useSyncExternalStore } from 'react';
import type { Schemas } from '@/api/client';
import { type SessionState, session } from './store';

/** A permission of the contract. */
export type Permission = Schemas['Permission'];

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}

/** Whether the signed-in person holds any one of `permissions`; an empty list asks for nothing. */
export function useMay(): (...permissions: readonly Permission[]) => boolean {
  const { profile } = useSession();
  return useCallback(
    (...permissions) =>
      permissions.length === 0 || (profile?.allPermissions.some((held) => permissions.includes(held.name)) ?? false),
    [profile],
  );
}
