// The types of record that a column can refer to: how to look one up, the required permission, and a text that distinguishes it
// from others of the same name. A new type is an entry here.
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

interface RecordType {
  permission: Permission;
  find: (query: string, t: TFunction) => Promise<readonly RecordHit[]>;
  byIds: (ids: readonly number[], t: TFunction) => Promise<readonly RecordHit[]>;
  placeholder: 'services.find' | 'users.find' | 'providers.find' | 'externalPanels.find' | 'coupons.find';
  empty: 'services.noHit' | 'users.noHit' | 'providers.noHit' | 'externalPanels.noHit' | 'coupons.noHit';
}

/** Hits per lookup. */
const MAX_HITS = 20;
/** Names per request; the ids are in the URL. */
const MAX_NAMES = 100;

/** Looks up records of a list by its global search, or by id. */
function listLookup<Row extends { id: number }>(
  path: string,
  textOf: (row: Row, t: TFunction) => string,
  parameters = {},
) {
  const lookUp = async (by: { search?: string; ids?: string }, limit: number, t: TFunction) => {
    const filters: Record<string, string> = by.ids ? { id: by.ids } : {};
    const query = { search: by.search ?? '', filters, parameters, sort: [] };
    const { data } = await fetchPage<Row>(path, query, 0, limit, new AbortController().signal);
    return data.map((row) => ({ id: row.id, text: textOf(row, t) }));
  };
  return {
    find: (query: string, t: TFunction) => lookUp(isId(query) ? { ids: query } : { search: query }, MAX_HITS, t),
    byIds: (ids: readonly number[], t: TFunction) => lookUp({ ids: ids.join(',') }, ids.length, t),
  };
}

const isId = (text: string) => /^\d{1,15}$/.test(text);

const userText = ({ name, email, id }: Schemas['UserHit']) => `${name} · ${email} · ${id}`;

export function providerText(row: Schemas['ProviderRow'], t: TFunction): string {
  const { amount, currency } = row.source_price;
  const price = t('providers.pricePer', {
    price: formatMoneyIn(amount, currency),
    per: formatNumber(row.source_pricing_per),
  });
  const panel = row.external_panel?.name ?? t(`providerType.${row.type}`);
  return `${row.name} · ${row.id} · ${panel} · ${price}`;
}

export const RECORDS: Readonly<Record<RecordKind, RecordType>> = {
  service: {
    ...listLookup<Schemas['ServiceRow']>(
      '/api/v1/admin/services',
      ({ id, name, default_price: price, external_panels: panels }) =>
        [name, id, formatMoney(price), panels].filter(Boolean).join(' · '),
    ),
    permission: 'view services',
    placeholder: 'services.find',
    empty: 'services.noHit',
  },
  user: {
    ...listLookup<Schemas['UserRow']>('/api/v1/admin/users', userText),
    find: async (query) =>
      (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query } } }))).data.map((user) => ({
        id: user.id,
        text: userText(user),
      })),
    permission: 'view users',
    placeholder: 'users.find',
    empty: 'users.noHit',
  },
  provider: {
    ...listLookup('/api/v1/admin/providers', providerText),
    permission: 'manage services and providers',
    placeholder: 'providers.find',
    empty: 'providers.noHit',
  },
  panel: {
    ...listLookup<Schemas['ExternalPanel']>(
      '/api/v1/admin/external-panels',
      ({ id, name, currency }) => `${name} · ${id}${currency ? ` · ${currency}` : ''}`,
    ),
    permission: 'manage external panels',
    placeholder: 'externalPanels.find',
    empty: 'externalPanels.noHit',
  },
  coupon: {
    // Orders may refer to archived coupons.
    ...listLookup<Schemas['CouponRow']>('/api/v1/admin/coupons', ({ id, name, code }) => `${name} · ${code} · ${id}`, {
      is_all: '1',
    }),
    permission: 'manage coupons',
    placeholder: 'coupons.find',
    empty: 'coupons.noHit',
  },
};

/** The ids of a filter value; empty for a text or a range, which links and saved views may have. */
export function parseIds(value: string): readonly number[] {
  const parts = value.split(',').filter(Boolean);
  return parts.every(isId) ? parts.map(Number) : [];
}

/** The texts of records by id; unknown records and records without permission are missing. */
export function useRecordTexts(kind: RecordKind, ids: readonly number[], isAllowed: boolean, t: TFunction) {
  const requested = ids.slice(0, MAX_NAMES);
  const { data } = useQuery({
    queryKey: ['record-texts', kind, requested.join(',')],
    enabled: isAllowed && requested.length > 0,
    retry: false,
    queryFn: () => RECORDS[kind].byIds(requested, t),
  });
  return new Map(data?.map(({ id, text }) => [id, text]));
}
