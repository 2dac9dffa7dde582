// The kinds of record that a column can refer to. For each kind: how to look up a record, the required permission, and a text that
// distinguishes the record from records of the same name. A new kind must be added to this file.
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoney, formatMoneyIn, formatNumber } from '@/i18n/format';
import type { Permission } from '@/session/hooks';

export type RecordKind = 'service' | 'user' | 'provider' | 'panel' | 'coupon';

/** A record as an option of a picker or as a chip. */
export interface RecordOption {
  id: number;
  text: string;
}

interface RecordLookup {
  permission: Permission;
  search: (query: string, t: TFunction) => Promise<readonly RecordOption[]>;
  fetchByIds: (ids: readonly number[], t: TFunction) => Promise<readonly RecordOption[]>;
  /** i18n key. */
  placeholderKey:
    | 'services.searchPlaceholder'
    | 'users.searchPlaceholder'
    | 'providers.searchPlaceholder'
    | 'externalPanels.searchPlaceholder'
    | 'coupons.searchPlaceholder';
  /** i18n key of the text that is shown if no record matches. */
  noMatchesKey:
    | 'services.noMatches'
    | 'users.noMatches'
    | 'providers.noMatches'
    | 'externalPanels.noMatches'
    | 'coupons.noMatches';
}

/** Maximum number of records that a search returns. */
const MAX_SEARCH_RESULTS = 20;
/** Maximum number of records whose texts are fetched with one request, because the URL of the request contains their ids. */
const MAX_TEXTS_PER_REQUEST = 100;

/** Creates the functions that look up records of a list by the global search of the list, or by id. */
function createListLookup<Row extends { id: number }>(
  path: string,
  getRecordText: (row: Row, t: TFunction) => string,
  parameters = {},
) {
  const fetchOptions = async (condition: { search?: string; ids?: string }, limit: number, t: TFunction) => {
    const filters: Record<string, string> = condition.ids ? { id: condition.ids } : {};
    const query = { search: condition.search ?? '', filters, parameters, sort: [] };
    const { data } = await fetchPage<Row>(path, query, 0, limit, new AbortController().signal);
    return data.map((row) => ({ id: row.id, text: getRecordText(row, t) }));
  };
  return {
    search: (query: string, t: TFunction) =>
      fetchOptions(isId(query) ? { ids: query } : { search: query }, MAX_SEARCH_RESULTS, t),
    fetchByIds: (ids: readonly number[], t: TFunction) => fetchOptions({ ids: ids.join(',') }, ids.length, t),
  };
}

const isId = (text: string) => /^\d{1,15}$/.test(text);

const formatUser = ({ name, email, id }: Schemas['UserSearchResult']) => `${name} · ${email} · ${id}`;

export function formatProvider(row: Schemas['ProviderRow'], t: TFunction): string {
  const { amount, currency } = row.source_price;
  const price = t('providers.priceForQuantity', {
    price: formatMoneyIn(amount, currency),
    quantity: formatNumber(row.source_pricing_per),
  });
  const source = row.external_panel?.name ?? t(`providerType.${row.type}`);
  return `${row.name} · ${row.id} · ${source} · ${price}`;
}

export const RECORD_LOOKUPS: Readonly<Record<RecordKind, RecordLookup>> = {
  service: {
    ...createListLookup<Schemas['ServiceRow']>(
      '/api/v1/admin/services',
      ({ id, name, default_price: price, external_panels: externalPanels }) =>
        [name, id, formatMoney(price), externalPanels].filter(Boolean).join(' · '),
    ),
    permission: 'view services',
    placeholderKey: 'services.searchPlaceholder',
    noMatchesKey: 'services.noMatches',
  },
  user: {
    ...createListLookup<Schemas['UserRow']>('/api/v1/admin/users', formatUser),
    search: async (query) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query } } }))).data.map((user) => ({
        id: user.id,
        text: formatUser(user),
      })),
    permission: 'view users',
    placeholderKey: 'users.searchPlaceholder',
    noMatchesKey: 'users.noMatches',
  },
  provider: {
    ...createListLookup('/api/v1/admin/providers', formatProvider),
    permission: 'manage services and providers',
    placeholderKey: 'providers.searchPlaceholder',
    noMatchesKey: 'providers.noMatches',
  },
  panel: {
    ...createListLookup<Schemas['ExternalPanel']>(
      '/api/v1/admin/external-panels',
      ({ id, name, currency }) => `${name} · ${id}${currency ? ` · ${currency}` : ''}`,
    ),
    permission: 'manage external panels',
    placeholderKey: 'externalPanels.searchPlaceholder',
    noMatchesKey: 'externalPanels.noMatches',
  },
  coupon: {
    // Includes archived coupons (`is_all`), because orders may refer to them.
    ...createListLookup<Schemas['CouponRow']>(
      '/api/v1/admin/coupons',
      ({ id, name, code }) => `${name} · ${code} · ${id}`,
      {
        is_all: '1',
      },
    ),
    permission: 'manage coupons',
    placeholderKey: 'coupons.searchPlaceholder',
    noMatchesKey: 'coupons.noMatches',
  },
};

/** Parses the ids in a filter value. Returns an empty list if the value is a name or a range, as in some links and saved views. */
export function parseIds(value: string): readonly number[] {
  const parts = value.split(',').filter(Boolean);
  return parts.every(isId) ? parts.map(Number) : [];
}

/** Returns the texts of records by id, without records that do not exist. The map is empty while loading and without permission. */
export function useRecordTexts(kind: RecordKind, ids: readonly number[], isAllowed: boolean, t: TFunction) {
  const requestedIds = ids.slice(0, MAX_TEXTS_PER_REQUEST);
  const { data } = useQuery({
    queryKey: ['record-texts', kind, requestedIds.join(',')],
    enabled: isAllowed && requestedIds.length > 0,
    retry: false,
    queryFn: () => RECORD_LOOKUPS[kind].fetchByIds(requestedIds, t),
  });
  return new Map(data?.map(({ id, text }) => [id, text]));
}
