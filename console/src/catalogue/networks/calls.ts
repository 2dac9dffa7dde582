// The API calls of networks, service types and their positions.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Network = Schemas['Network'];

/** The first part of the query keys of networks and service types. */
export const CATALOGUE_KEY = 'catalogue';

export function useNetworks() {
  return useQuery({ queryKey: [CATALOGUE_KEY, 'networks'], queryFn: readNetworks });
}

export async function readNetworks(): Promise<readonly Network[]> {
  return (await unwrap(api.GET('/api/v1/admin/networks'))).data;
}

export const readServiceType = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/service-types/{id}', { params: { path: { id } } }))).data;

export function useServiceTypesOf(network: number | null) {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'types', network],
    enabled: network !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/networks/{id}/service-types', { params: { path: { id: network ?? 0 } } })))
        .data,
  });
}

export function useServicesOfType(type: number | null) {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'services', type],
    enabled: type !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/service-types/{id}/services', { params: { path: { id: type ?? 0 } } })))
        .data,
  });
}

export const saveNetworkOrder = (networks: number[]) =>
  unwrap(api.POST('/api/v1/admin/networks/sort', { body: { networks } }));

export const saveServiceTypeOrder = (network: number, service_types: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/networks/{id}/sort-service-types', {
      params: { path: { id: network } },
      body: { service_types },
    }),
  );

export const saveServiceOrder = (type: number, services: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/service-types/{id}/sort-services', { params: { path: { id: type } }, body: { services } }),
  );
