// Fetches the lists of values for filters from the server. A new list of values must be added to this file.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type ChoiceList = 'auditEvents' | 'auditTypes' | 'countries';

type AuditCollections = Schemas['AuditCollections'];

const AUDIT_LIST_SELECTORS: Readonly<
  Record<Exclude<ChoiceList, 'countries'>, (collections: AuditCollections) => AuditCollections['events']>
> = {
  auditEvents: ({ events }) => events,
  auditTypes: ({ auditable_types: types }) => types,
};

/** Returns the values of a list, or an empty list while they are loading. */
export function useChoices(list: ChoiceList): readonly string[] {
  const isAuditList = list !== 'countries';
  const { data } = useQuery({
    queryKey: ['audit-collections'],
    enabled: isAuditList,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/audits/collections'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: countries } = useQuery({
    queryKey: ['countries'],
    enabled: !isAuditList,
    queryFn: async () => (await unwrap(api.GET('/api/v1/countries'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isAuditList) return (countries ?? []).map(({ iso_code_2 }) => iso_code_2);
  return data ? AUDIT_LIST_SELECTORS[list](data).map(({ type }) => type) : [];
}
