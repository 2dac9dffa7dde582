// The definition of a list as data: name, path, columns, filters and actions. This module must neither render nor fetch.
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';
import type { Permission } from '@/session/hooks';
import type { AnyAction } from './action';
import type { ChoiceList } from './choices';
import type { EnumTexts } from './enumTexts';
import type { RecordKind } from './records';

/** The filter of a column. Its kind decides which control the user sees and how the input is parsed. */
export type Filter =
  | { kind: 'text' | 'ids' | 'number' | 'money' | 'time' | 'flag' }
  /** A fraction, which the user types in percent. */
  | { kind: 'fraction' }
  /** One or more records of a kind, by id; the server also accepts a part of the name. */
  | { kind: 'record'; recordKind: RecordKind }
  /** One or more values of a list that the server provides. */
  | { kind: 'choices'; list: ChoiceList }
  /** One or more of `values`; their texts are under the key `texts`, such as `status`. Without `texts` they are not translated. */
  | {
      kind: 'enum';
      values: readonly string[];
      texts?: EnumTexts;
    };

export interface Column<Row> {
  /** The name in the API; also the sort key. */
  name: string;
  /** i18n key of the heading. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** In pixels, at compact density. */
  width: number;
  align?: 'end';
  filter?: Filter;
  /** The column of the API to filter by, if it differs from `name`. */
  filterName?: string;
  sortable?: false;
  hidden?: true;
  permission?: Permission;
  /** A filter without a visible column. */
  filterOnly?: true;
}

export interface List<Row extends { id: number }> {
  /** The key of stored state, saved views and texts. */
  name: string;
  /** i18n key of the heading. */
  title: string;
  /** i18n key of a sentence below the heading that explains the list. */
  description?: string;
  path: string;
  columns: readonly Column<Row>[];
  /** Query parameters of the API that are no columns, such as `drip_feed_id`. Their chips can be removed. */
  parameters?: readonly string[];
  /** Filters of the API without a column in this list, such as `user.id`, with the i18n key of their chip. */
  hiddenFilters?: Readonly<Record<string, string>>;
  /** The record whose page has the list, such as `{ 'user.id': '7' }`: always applied, never shown or stored. */
  fixedFilters?: Readonly<Record<string, string>>;
  /** Filters of the first visit. They are in the URL, and the user can remove them. */
  defaultFilters?: Readonly<Record<string, string>>;
  /** Filters that "Reset filter" keeps. */
  persistentFilters?: readonly string[];
  sort?: Sort;
  /** Default rows per page; 30 in most lists. */
  pageSize?: number;
  /** Refetch interval in milliseconds, for lists that background work changes. */
  refetchIntervalMs?: number;
  actions?: readonly AnyAction<Row>[];
  /** The URL of the record of a row. */
  recordUrl?: (row: Row) => string;
}

/** The translated text of an enum value; the value itself if the enum has no texts. */
export function enumText({ texts }: Extract<Filter, { kind: 'enum' }>, value: string, t: TFunction): string {
  return texts ? t(enumTextKey(texts, value) as 'status.active', { defaultValue: value }) : value;
}

export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 30;

/** The list with only the rows of one record, for a tab on the page of that record. */
export function scopeToRecord<Row extends { id: number }>(
  list: List<Row>,
  fixedFilters: Readonly<Record<string, string>>,
): List<Row> {
  const columns = list.columns.filter(
    (column) => !Object.keys(fixedFilters).some((name) => describesOwner(column, name)),
  );
  return { ...list, columns, fixedFilters };
}

/** Whether a column shows the record that all rows have in common, such as the customer in the list of one customer's orders. */
function describesOwner<Row>(column: Column<Row>, name: string): boolean {
  return column.name === name || (name.endsWith('.id') && column.name.startsWith(name.slice(0, -'id'.length)));
}

/** The name of a column's filter in the API. */
export function filterName<Row>(column: Column<Row>): string {
  return column.filterName ?? column.name;
}

/** The i18n key of an enum value. Dots, as in `order.created`, become underscores, because i18next separates keys by dots. */
export function enumTextKey(texts: string, value: string): string {
  return `${texts}.${value.replaceAll('.', '_')}`;
}
