// Closed sets of words that the server knows, for filters by choice. A new set is an entry here.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, told } from '@/api/client';

export type ChoiceList = 'auditEvents' | 'auditTypes';

type Collections = Schemas['AuditCollections'];

const LISTS: Readonly<Record<ChoiceList, (collections: Collections) => Collections['events']>> = {
  auditEvents: ({ events }) => events,
  auditTypes: ({ auditable_types: types }) => types,
};

/** The words of a set; none before they are loaded. */
export function useChoices(of: ChoiceList): readonly string[] {
  const { data } = useQuery({
    queryKey: ['audit-collections'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/audits/collections'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ? LISTS[of](data).map(({ type }) => type) : [];
}
