// The kinds of record that a column can refer to: how to look up a record, the permission for that, and a text that distinguishes
// the record from others of the same name. A new kind is added in this file.
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoney, formatMoneyIn, formatNumber } from '@/i18n/format';
import type { Permission } from '@/session/hooks';

export type RecordKind = 'service' | 'user' | 'provider' | 'panel' | 'coupon';

/** A record as pickers and chips show it. */
export interface RecordHit {
  id: number;
  text: string;
}

interface RecordLookup {
  permission: Permission;
  search: (query: string, t: TFunction) => Promise<readonly RecordHit[]>;
  fetchByIds: (ids: readonly number[], t: TFunction) => Promise<readonly RecordHit[]>;
  placeholder:
    | 'services.searchPlaceholder'
    | 'users.searchPlaceholder'
    | 'providers.searchPlaceholder'
    | 'externalPanels.searchPlaceholder'
    | 'coupons.searchPlaceholder';
  empty:
    | 'services.noMatches'
    | 'users.noMatches'
    | 'providers.noMatches'
    | 'externalPanels.noMatches'
    | 'coupons.noMatches';
}

/** Most hits of one lookup. */
const MAX_HITS = 20;
/** Most records whose texts are requested at once; their ids are in the URL. */
const MAX_TEXTS = 100;

/** Looks up records of a list by its global search, or by id. */
function listLookup<Row extends { id: number }>(
  path: string,
  textOf: (row: Row, t: TFunction) => string,
  parameters = {},
) {
  const fetchHits = async (condition: { search?: string; ids?: string }, limit: number, t: TFunction) => {
    const filters: Record<string, string> = condition.ids ? { id: condition.ids } : {};
    const query = { search: condition.search ?? '', filters, parameters, sort: [] };
    const { data } = await fetchPage<Row>(path, query, 0, limit, new AbortController().signal);
    return data.map((row) => ({ id: row.id, text: textOf(row, t) }));
  };
  return {
    search: (query: string, t: TFunction) => fetchHits(isId(query) ? { ids: query } : { search: query }, MAX_HITS, t),
    fetchByIds: (ids: readonly number[], t: TFunction) => fetchHits({ ids: ids.join(',') }, ids.length, t),
  };
}

const isId = (text: string) => /^\d{1,15}$/.test(text);

const userText = ({ name, email, id }: Schemas['UserSearchResult']) => `${name} · ${email} · ${id}`;

export function providerText(row: Schemas['ProviderRow'], t: TFunction): string {
  const { amount, currency } = row.source_price;
  const price = t('providers.priceForQuantity', {
    price: formatMoneyIn(amount, currency),
    quantity: formatNumber(row.source_pricing_per),
  });
  const panel = row.external_panel?.name ?? t(`providerType.${row.type}`);
  return `${row.name} · ${row.id} · ${panel} · ${price}`;
}

export const RECORDS: Readonly<Record<RecordKind, RecordLookup>> = {
  service: {
    ...listLookup<Schemas['ServiceRow']>(
      '/api/v1/admin/services',
      ({ id, name, default_price: price, external_panels: panels }) =>
        [name, id, formatMoney(price), panels].filter(Boolean).join(' · '),
    ),
    permission: 'view services',
    placeholder: 'services.searchPlaceholder',
    empty: 'services.noMatches',
  },
  user: {
    ...listLookup<Schemas['UserRow']>('/api/v1/admin/users', userText),
    search: async (query) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query } } }))).data.map((user) => ({
        id: user.id,
        text: userText(user),
      })),
    permission: 'view users',
    placeholder: 'users.searchPlaceholder',
    empty: 'users.noMatches',
  },
  provider: {
    ...listLookup('/api/v1/admin/providers', providerText),
    permission: 'manage services and providers',
    placeholder: 'providers.searchPlaceholder',
    empty: 'providers.noMatches',
  },
  panel: {
    ...listLookup<Schemas['ExternalPanel']>(
      '/api/v1/admin/external-panels',
      ({ id, name, currency }) => `${name} · ${id}${currency ? ` · ${currency}` : ''}`,
    ),
    permission: 'manage external panels',
    placeholder: 'externalPanels.searchPlaceholder',
    empty: 'externalPanels.noMatches',
  },
  coupon: {
    // Orders may refer to archived coupons.
    ...listLookup<Schemas['CouponRow']>('/api/v1/admin/coupons', ({ id, name, code }) => `${name} · ${code} · ${id}`, {
      is_all: '1',
    }),
    permission: 'manage coupons',
    placeholder: 'coupons.searchPlaceholder',
    empty: 'coupons.noMatches',
  },
};

/** The ids in a filter value; empty if it is a text or a range, as in some links and saved views. */
export function parseIds(value: string): readonly number[] {
  const parts = value.split(',').filter(Boolean);
  return parts.every(isId) ? parts.map(Number) : [];
}

/** The texts of records by id. The map lacks records that do not exist; it is empty while loading and without permission. */
export function useRecordTexts(kind: RecordKind, ids: readonly number[], isAllowed: boolean, t: TFunction) {
  const requestedIds = ids.slice(0, MAX_TEXTS);
  const { data } = useQuery({
    queryKey: ['record-texts', kind, requestedIds.join(',')],
    enabled: isAllowed && requestedIds.length > 0,
    retry: false,
    queryFn: () => RECORDS[kind].fetchByIds(requestedIds, t),
  });
  return new Map(data?.map(({ id, text }) => [id, text]));
}
