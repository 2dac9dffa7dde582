// The kinds of record that a column can name: where one is looked up, by whom, and how it is told from others of its
// name. A new kind is an entry here.
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { page } from '@/api/table';
import { count, money, moneyOf } from '@/i18n/format';
import type { Permission } from '@/session/hooks';

export type RecordKind = 'service' | 'user' | 'provider' | 'panel' | 'coupon';

/** One record as pickers and chips show it. */
export interface RecordHit {
  id: number;
  text: string;
}

interface Kind {
  permission: Permission;
  find: (query: string, t: TFunction) => Promise<readonly RecordHit[]>;
  byIds: (ids: readonly number[], t: TFunction) => Promise<readonly RecordHit[]>;
  placeholder: 'services.find' | 'users.find' | 'providers.find' | 'externalPanels.find' | 'coupons.find';
  empty: 'services.noHit' | 'users.noHit' | 'providers.noHit' | 'externalPanels.noHit' | 'coupons.noHit';
}

/** Hits of one lookup. */
const MOST = 20;
/** Most names that are asked for at once: an address holds as many ids. */
const MOST_NAMES = 100;

/** Records of a list, by part of what its common search looks at or by id. */
function ofList<Row extends { id: number }>(path: string, shown: (row: Row, t: TFunction) => string, plain = {}) {
  const ask = async (part: { search?: string; ids?: string }, most: number, t: TFunction) => {
    const filters: Record<string, string> = part.ids ? { id: part.ids } : {};
    const asked = { search: part.search ?? '', filters, plain, sort: [] };
    const { data } = await page<Row>(path, asked, 0, most, new AbortController().signal);
    return data.map((row) => ({ id: row.id, text: shown(row, t) }));
  };
  return {
    find: (query: string, t: TFunction) => ask(isId(query) ? { ids: query } : { search: query }, MOST, t),
    byIds: (ids: readonly number[], t: TFunction) => ask({ ids: ids.join(',') }, ids.length, t),
  };
}

const isId = (text: string) => /^\d{1,15}$/.test(text);

const userText = ({ name, email, id }: Schemas['UserHit']) => `${name} · ${email} · ${id}`;

export function providerText(row: Schemas['ProviderRow'], t: TFunction): string {
  const { amount, currency } = row.source_price;
  const price = t('providers.pricePer', { price: moneyOf(amount, currency), per: count(row.source_pricing_per) });
  const panel = row.external_panel?.name ?? t(`providerType.${row.type}`);
  return `${row.name} · ${row.id} · ${panel} · ${price}`;
}

export const RECORDS: Readonly<Record<RecordKind, Kind>> = {
  service: {
    ...ofList<Schemas['ServiceRow']>(
      '/api/v1/admin/services',
      ({ id, name, default_price: price, external_panels: panels }) =>
        [name, id, money(price), panels].filter(Boolean).join(' · '),
    ),
    permission: 'view services',
    placeholder: 'services.find',
    empty: 'services.noHit',
  },
  user: {
    ...ofList<Schemas['UserRow']>('/api/v1/admin/users', userText),
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
    ...ofList('/api/v1/admin/providers', providerText),
    permission: 'manage services and providers',
    placeholder: 'providers.find',
    empty: 'providers.noHit',
  },
  panel: {
    ...ofList<Schemas['ExternalPanel']>(
      '/api/v1/admin/external-panels',
      ({ id, name, currency }) => `${name} · ${id}${currency ? ` · ${currency}` : ''}`,
    ),
    permission: 'manage external panels',
    placeholder: 'externalPanels.find',
    empty: 'externalPanels.noHit',
  },
  coupon: {
    // Archived ones were used, too.
    ...ofList<Schemas['CouponRow']>('/api/v1/admin/coupons', ({ id, name, code }) => `${name} · ${code} · ${id}`, {
      is_all: '1',
    }),
    permission: 'manage coupons',
    placeholder: 'coupons.find',
    empty: 'coupons.noHit',
  },
};

/** The ids of a filter; none where it is a text or a range, as older links and saved views have. */
export function idsOf(value: string): readonly number[] {
  const parts = value.split(',').filter(Boolean);
  return parts.every(isId) ? parts.map(Number) : [];
}

/** What the records of `ids` are called, by id; what is unknown or forbidden is missing. */
export function useRecordTexts(kind: RecordKind, ids: readonly number[], may: boolean, t: TFunction) {
  const asked = ids.slice(0, MOST_NAMES);
  const { data } = useQuery({
    queryKey: ['record-texts', kind, asked.join(',')],
    enabled: may && asked.length > 0,
    retry: false,
    queryFn: () => RECORDS[kind].byIds(asked, t),
  });
  return new Map(data?.map(({ id, text }) => [id, text]));
}
