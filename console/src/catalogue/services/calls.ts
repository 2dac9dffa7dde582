// What the service editor reads beside the service: what can be picked.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, told } from '@/api/client';

export type Service = Schemas['Service'];
export type Row = Schemas['ServiceRow'];

export const oneService = (id: number) => ['services', 'one', id];

export function useService(id: number) {
  return useQuery({
    queryKey: oneService(id),
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: async () => (await told(api.GET('/api/v1/admin/services/{id}', { params: { path: { id } } }))).data,
  });
}

/** Service types with the names of their networks, in their order. */
export function useTypeOptions() {
  const { data } = useQuery({
    queryKey: ['catalogue', 'networks'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/networks'))).data,
  });
  return (data ?? []).flatMap((network) =>
    network.service_types.map((type) => ({ value: String(type.id), label: `${network.name} · ${type.name}` })),
  );
}

export function useLabelNames() {
  const { data } = useQuery({
    queryKey: ['labels', 'names'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/services/labels/available-labels'))).data,
  });
  return data ?? [];
}

export function useCountries() {
  const { data } = useQuery({
    queryKey: ['countries'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await told(api.GET('/api/v1/countries'))).data,
  });
  return data ?? [];
}

export function useProviderNames(enabled: boolean) {
  const { data } = useQuery({
    queryKey: ['providers', 'names'],
    enabled,
    queryFn: async () => {
      const query = { length: -1, 'order[0][column]': 'name' } as never;
      return (await told(api.GET('/api/v1/admin/providers', { params: { query } }))).data;
    },
  });
  return data ?? [];
}
