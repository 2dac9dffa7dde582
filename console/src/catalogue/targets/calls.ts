// What targets are read with.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { page } from '@/api/table';

export type TargetType = Schemas['TargetType'];
export type Group = Schemas['PromotableCheckerGroup'];

/** Targets of a panel are few; this many are read at once. */
const MOST = 1_000;

export function useTargetTypes() {
  return useQuery({
    queryKey: ['targets', 'types'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/target-types'))).data,
  });
}

export function useTarget(id: number | null) {
  return useQuery({
    queryKey: ['targets', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => readTarget(id ?? 0),
  });
}

export const readTarget = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/targets/{id}', { params: { path: { id } } }))).data;

export function useTargets(): readonly Schemas['TargetRow'][] | undefined {
  return useQuery({
    queryKey: ['targets', 'all'],
    queryFn: async ({ signal }) => {
      const asked = { search: '', filters: {}, plain: {}, sort: [{ column: 'name', descending: false }] };
      return (await page<Schemas['TargetRow']>('/api/v1/admin/targets', asked, 0, MOST, signal)).data;
    },
  }).data;
}

export function useGroups() {
  return useQuery({ queryKey: ['targets', 'groups'], queryFn: readGroups });
}

export async function readGroups(): Promise<readonly Group[]> {
  return (await unwrap(api.GET('/api/v1/admin/promotable-checker-groups'))).data;
}
