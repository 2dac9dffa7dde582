// The API requests of targets and checker groups.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';

export type TargetType = Schemas['TargetType'];
export type CheckerGroup = Schemas['PromotableCheckerGroup'];

/** There are only a few targets, so a page of this size contains all targets. */
const TARGET_PAGE_SIZE = 1_000;

export function useTargetTypes() {
  return useQuery({
    queryKey: ['targets', 'types'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/target-types'))).data,
  });
}

export function useTarget(id: number | null) {
  return useQuery({
    queryKey: ['targets', 'detail', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchTarget(id ?? 0),
  });
}

export const fetchTarget = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/targets/{id}', { params: { path: { id } } }))).data;

export function useTargets(): readonly Schemas['TargetRow'][] | undefined {
  return useQuery({
    queryKey: ['targets', 'all'],
    queryFn: async ({ signal }) => {
      const query = { search: '', filters: {}, parameters: {}, sort: [{ column: 'name', descending: false }] };
      return (await fetchPage<Schemas['TargetRow']>('/api/v1/admin/targets', query, 0, TARGET_PAGE_SIZE, signal)).data;
    },
  }).data;
}

export function useCheckerGroups() {
  return useQuery({ queryKey: ['targets', 'groups'], queryFn: fetchCheckerGroups });
}

export async function fetchCheckerGroups(): Promise<readonly CheckerGroup[]> {
  return (await unwrap(api.GET('/api/v1/admin/promotable-checker-groups'))).data;
}
