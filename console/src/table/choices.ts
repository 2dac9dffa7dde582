// Closed sets of words that the server knows, for filters by choice. A new set is an entry here.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';

export type ChoiceList = 'auditEvents' | 'auditTypes' | 'countries';

type Collections = Schemas['AuditCollections'];

const LISTS: Readonly<Record<Exclude<ChoiceList, 'countries'>, (collections: Collections) => Collections['events']>> = {
  auditEvents: ({ events }) => events,
  auditTypes: ({ auditable_types: types }) => types,
};

/** The words of a set; none before they are loaded. */
export function useChoices(of: ChoiceList): readonly string[] {
  const isOfAudits = of !== 'countries';
  const { data } = useQuery({
    queryKey: ['audit-collections'],
    enabled: isOfAudits,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/audits/collections'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: countries } = useQuery({
    queryKey: ['countries'],
    enabled: !isOfAudits,
    queryFn: async () => (await unwrap(api.GET('/api/v1/countries'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isOfAudits) return (countries ?? []).map(({ iso_code_2 }) => iso_code_2);
  return data ? LISTS[of](data).map(({ type }) => type) : [];
}
