// What the three levels of the catalogue are read and written with.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Network = Schemas['Network'];

export const KEY = 'catalogue';

export function useNetworks() {
  return useQuery({ queryKey: [KEY, 'networks'], queryFn: readNetworks });
}

export async function readNetworks(): Promise<readonly Network[]> {
  return (await unwrap(api.GET('/api/v1/admin/networks'))).data;
}

export const readType = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/service-types/{id}', { params: { path: { id } } }))).data;

export function useTypesOf(network: number | null) {
  return useQuery({
    queryKey: [KEY, 'types', network],
    enabled: network !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/networks/{id}/service-types', { params: { path: { id: network ?? 0 } } })))
        .data,
  });
}

export function useServicesOf(type: number | null) {
  return useQuery({
    queryKey: [KEY, 'services', type],
    enabled: type !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/service-types/{id}/services', { params: { path: { id: type ?? 0 } } })))
        .data,
  });
}

export const saveNetworks = (networks: number[]) =>
  unwrap(api.POST('/api/v1/admin/networks/sort', { body: { networks } }));

export const saveTypes = (network: number, service_types: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/networks/{id}/sort-service-types', {
      params: { path: { id: network } },
      body: { service_types },
    }),
  );

export const saveServices = (type: number, services: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/service-types/{id}/sort-services', { params: { path: { id: type } }, body: { services } }),
  );
