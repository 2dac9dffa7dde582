// The API requests of the service editor: the service, and the options of its selects.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { formatCountries } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';

export type Service = Schemas['Service'];
export type ServiceRow = Schemas['ServiceRow'];

export const getServiceQueryKey = (id: number) => ['services', 'detail', id];

export function useService(id: number) {
  return useQuery({
    queryKey: getServiceQueryKey(id),
    enabled: Number.isSafeInteger(id),
    retry: false,
    queryFn: () => fetchService(id),
  });
}

export const fetchService = async (id: number): Promise<Service> =>
  (await unwrap(api.GET('/api/v1/admin/services/{id}', { params: { path: { id } } }))).data;

/** Returns the service types with the names of their networks, in the order that staff have set. */
export function useServiceTypeOptions() {
  const { data } = useQuery({
    queryKey: ['catalogue', 'networks'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/networks'))).data,
  });
  return (data ?? []).flatMap((network) =>
    network.service_types.map((type) => ({ value: String(type.id), label: `${network.name} · ${type.name}` })),
  );
}

export function useLabelNames() {
  const { data } = useQuery({
    queryKey: ['labels', 'names'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/services/labels/available-labels'))).data,
  });
  return data ?? [];
}

/** Returns all countries, sorted by their names in the user's language. */
export function useCountries() {
  const { i18n } = useTranslation();
  const { tag } = getLocale(i18n.language);
  const { data } = useQuery({
    queryKey: ['countries'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/countries'))).data,
  });
  return useMemo(() => {
    const options = (data ?? []).map(({ iso_code_2 }) => ({ iso_code_2, name: formatCountries([iso_code_2], tag) }));
    return options.toSorted((a, b) => a.name.localeCompare(b.name, tag));
  }, [data, tag]);
}
