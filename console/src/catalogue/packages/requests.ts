// The API requests of packages.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Package = Schemas['Package'];
export type PackageRow = Schemas['PackageRow'];
export type Service = Schemas['PackageService'];

export const getPackageQueryKey = (id: number) => ['packages', 'detail', id];

export function usePackage(id: number) {
  return useQuery({
    queryKey: getPackageQueryKey(id),
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/packages/{id}', { params: { path: { id } } }))).data,
  });
}

export function useServiceTypes() {
  return (
    useQuery({
      queryKey: ['packages', 'types'],
      queryFn: async () => (await unwrap(api.GET('/api/v1/admin/packages/available-service-types'))).data,
    }).data ?? []
  );
}

/** Searches the services that a package may contain, by a part of the name or by id. */
export async function searchServices(search: string): Promise<readonly Service[]> {
  return (await unwrap(api.GET('/api/v1/admin/packages/available-services', { params: { query: { search } } }))).data;
}
