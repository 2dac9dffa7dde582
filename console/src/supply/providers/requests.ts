// Fetches providers from the server.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type Provider = Schemas['Provider'];
export type ProviderRow = Schemas['ProviderRow'];

export const PROVIDERS_PATH = '/api/v1/admin/providers';

export const fetchProvider = async (id: number) =>
  (await unwrap(api.GET(`${PROVIDERS_PATH}/{id}`, { params: { path: { id } } }))).data;

export function useProvider(id: number) {
  return useQuery({
    queryKey: ['providers', 'detail', id],
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: () => fetchProvider(id),
  });
}

/** Returns the external panels that a provider can belong to: all external panels that are not archived. */
export function useSelectableExternalPanels() {
  const { data } = useQuery({
    queryKey: ['providers', 'collections'],
    queryFn: async () => (await unwrap(api.GET(`${PROVIDERS_PATH}/collections`))).data,
  });
  return data?.externalPanels ?? [];
}
