// What providers are read with.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Provider = Schemas['Provider'];
export type Row = Schemas['ProviderRow'];

export const PATH = '/api/v1/admin/providers';

export const readProvider = async (id: number) =>
  (await unwrap(api.GET(`${PATH}/{id}`, { params: { path: { id } } }))).data;

export function useProvider(id: number) {
  return useQuery({
    queryKey: ['providers', 'one', id],
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: () => readProvider(id),
  });
}

/** The external panels that a provider can be of. */
export function usePanels() {
  const { data } = useQuery({
    queryKey: ['providers', 'collections'],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/collections`))).data,
  });
  return data?.externalPanels ?? [];
}
