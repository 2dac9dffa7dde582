// Lists of values that the server provides for filters. A new list is added in this file.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type ChoiceList = 'auditEvents' | 'auditTypes' | 'countries';

type Collections = Schemas['AuditCollections'];

const AUDIT_LISTS: Readonly<
  Record<Exclude<ChoiceList, 'countries'>, (collections: Collections) => Collections['events']>
> = {
  auditEvents: ({ events }) => events,
  auditTypes: ({ auditable_types: types }) => types,
};

/** The values of a list; empty while they are loading. */
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
  return data ? AUDIT_LISTS[list](data).map(({ type }) => type) : [];
}
