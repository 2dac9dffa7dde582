// The types that describe a list: name, path, columns, filters and actions. This module must neither render nor send requests.
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';
import type { Permission } from '@/session/hooks';
import type { AnyAction } from './action';
import type { ChoiceList } from './choices';
import type { EnumTextPrefix } from './enumTexts';
import type { RecordKind } from './recordLookups';

/** The filter of a column. The kind decides which input control the user sees and how the control parses the input. */
export type Filter =
  | { kind: 'text' | 'ids' | 'number' | 'money' | 'time' | 'flag' }
  /** A fraction of the API, such as 0.05. The user types it as a percentage. */
  | { kind: 'fraction' }
  /** The ids of one or more records. The server also accepts a part of the name. */
  | { kind: 'record'; recordKind: RecordKind }
  /** One or more values of a list that the console fetches from the server. */
  | { kind: 'choices'; list: ChoiceList }
  /** One or more of `values`. `textPrefix` is the i18n key prefix of their texts, such as `status`; without it, values are shown as they are. */
  | {
      kind: 'enum';
      values: readonly string[];
      textPrefix?: EnumTextPrefix;
    };

export interface Column<Row> {
  /** The column name in the API. Also the sort key. */
  name: string;
  /** i18n key of the heading. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** Width in pixels, at compact density. */
  width: number;
  align?: 'end';
  filter?: Filter;
  /** The API column that the filter uses, if it differs from `name`. */
  filterName?: string;
  sortable?: false;
  hidden?: true;
  permission?: Permission;
  /** The column is only a filter: the table never shows it. */
  filterOnly?: true;
}

export interface List<Row extends { id: number }> {
  /** The key of the stored column layout, the stored list state and the saved views. */
  name: string;
  /** i18n key of the heading. */
  title: string;
  /** i18n key of a sentence below the heading that explains the list. */
  description?: string;
  path: string;
  columns: readonly Column<Row>[];
  /** Query parameters of the API that are not columns, such as `drip_feed_id`. The user can remove them with their chips. */
  parameters?: readonly string[];
  /** Filters of the API that have no column in this list, such as `user.id`, with the i18n keys of their chips. */
  hiddenFilters?: Readonly<Record<string, string>>;
  /** The filter of a list on the page of a record, such as `{ 'user.id': '7' }`. Always applied, never shown or stored. */
  fixedFilters?: Readonly<Record<string, string>>;
  /** Filters that apply when the user opens the list for the first time. They are part of the URL, and the user can remove them. */
  defaultFilters?: Readonly<Record<string, string>>;
  /** Filters that "Reset filter" keeps. */
  persistentFilters?: readonly string[];
  sort?: Sort;
  /** Default number of rows per page, if it differs from `DEFAULT_PAGE_SIZE`. */
  pageSize?: number;
  /** Refetch interval in milliseconds, for lists that the worker changes in the background. */
  refetchIntervalMs?: number;
  actions?: readonly AnyAction<Row>[];
  /** Returns the URL of the record's page. */
  getRecordUrl?: (row: Row) => string;
}

/** Returns the translated text of an enum value, or the value itself if the enum has no texts. */
export function translateEnumValue(
  { textPrefix }: Extract<Filter, { kind: 'enum' }>,
  value: string,
  t: TFunction,
): string {
  return textPrefix ? t(getEnumTextKey(textPrefix, value) as 'status.active', { defaultValue: value }) : value;
}

export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 30;

/** Returns the list with only the rows that belong to one record, for a tab on the page of that record. */
export function scopeToRecord<Row extends { id: number }>(
  list: List<Row>,
  fixedFilters: Readonly<Record<string, string>>,
): List<Row> {
  const columns = list.columns.filter((column) => !Object.keys(fixedFilters).some((name) => showsOwner(column, name)));
  return { ...list, columns, fixedFilters };
}

/** Whether a column shows the record to which all rows belong, such as the customer in the list of one customer's orders. */
function showsOwner<Row>(column: Column<Row>, name: string): boolean {
  return column.name === name || (name.endsWith('.id') && column.name.startsWith(name.slice(0, -'id'.length)));
}

/** Returns the name of a column's filter in the API. */
export function getFilterName<Row>(column: Column<Row>): string {
  return column.filterName ?? column.name;
}

/** Returns the i18n key of an enum value. Dots, as in `order.created`, become underscores, because i18next separates keys by dots. */
export function getEnumTextKey(textPrefix: string, value: string): string {
  return `${textPrefix}.${value.replaceAll('.', '_')}`;
}
