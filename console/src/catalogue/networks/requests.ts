// The API requests of networks, service types and their positions.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Network = Schemas['Network'];

/** The first element of the query keys of networks and service types. */
export const CATALOGUE_KEY = 'catalogue';

export function useNetworks() {
  return useQuery({ queryKey: [CATALOGUE_KEY, 'networks'], queryFn: fetchNetworks });
}

export async function fetchNetworks(): Promise<readonly Network[]> {
  return (await unwrap(api.GET('/api/v1/admin/networks'))).data;
}

export const fetchServiceType = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/service-types/{id}', { params: { path: { id } } }))).data;

export function useServiceTypesOfNetwork(networkId: number | null) {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'types', networkId],
    enabled: networkId !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/networks/{id}/service-types', { params: { path: { id: networkId ?? 0 } } })))
        .data,
  });
}

export function useServicesOfType(typeId: number | null) {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'services', typeId],
    enabled: typeId !== null,
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/service-types/{id}/services', { params: { path: { id: typeId ?? 0 } } })))
        .data,
  });
}

export const saveNetworkPositions = (networks: number[]) =>
  unwrap(api.POST('/api/v1/admin/networks/sort', { body: { networks } }));

export const saveServiceTypePositions = (networkId: number, service_types: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/networks/{id}/sort-service-types', {
      params: { path: { id: networkId } },
      body: { service_types },
    }),
  );

export const saveServicePositions = (typeId: number, services: number[]) =>
  unwrap(
    api.POST('/api/v1/admin/service-types/{id}/sort-services', {
      params: { path: { id: typeId } },
      body: { services },
    }),
  );
