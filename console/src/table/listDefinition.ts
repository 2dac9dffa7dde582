// The definition of a list as data: name, path, columns and actions. A new list is a new definition; nothing here renders or
// fetches.
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';
import type { Permission } from '@/session/hooks';
import type { AnyAction } from './action';
import type { ChoiceList } from './choices';
import type { RecordKind } from './records';
import type { WordTexts } from './wordTexts';

/** The filter of a column: decides the control and how its input is parsed. */
export type Filter =
  | { kind: 'text' | 'ids' | 'number' | 'money' | 'time' | 'flag' }
  /** A fraction, typed in percent. */
  | { kind: 'share' }
  /** One or more records of a type, by id; the server also accepts a part of the name. */
  | { kind: 'record'; of: RecordKind }
  /** One or more values of a set that the server provides. */
  | { kind: 'choices'; of: ChoiceList }
  /** One or more of `words`; their texts are under the key `texts`, such as `status`. Without `texts` they are not translated. */
  | {
      kind: 'words';
      words: readonly string[];
      texts?: WordTexts;
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
  /** The column of the API to filter by, where it differs from `name`. */
  filterName?: string;
  sortable?: false;
  /** Hidden by default. */
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
  /** Query parameters that are no columns, such as `drip_feed_id`; shown as chips. */
  parameters?: readonly string[];
  /** Filters of the API without a column in this list, such as `user.id`, with the i18n key of their chip. */
  hiddenFilters?: Readonly<Record<string, string>>;
  /** The record that the list belongs to, such as `{ 'user.id': '7' }`: always applied, never shown or stored. */
  fixedFilters?: Readonly<Record<string, string>>;
  /** Filters of the first visit; they are in the URL and can be removed. */
  defaults?: Readonly<Record<string, string>>;
  /** Filters that "Reset filter" keeps. */
  persistentFilters?: readonly string[];
  sort?: Sort;
  /** Default rows per page; 30 in most lists. */
  pageSize?: number;
  /** Refetch interval in milliseconds, for lists that background work changes. */
  refetchIntervalMs?: number;
  actions?: readonly AnyAction<Row>[];
  /** The URL of a row's record. */
  open?: (row: Row) => string;
}

/** The text of a word. i18n keys have `_` instead of the dot in words such as `order.created`. */
export function wordText({ texts }: Extract<Filter, { kind: 'words' }>, word: string, t: TFunction): string {
  return texts ? t(`${texts}.${word.replace('.', '_')}` as 'status.active', { defaultValue: word }) : word;
}

export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_SIZE = 30;

/** The list of one record, for a tab of the record's page. */
export function scopeToRecord<Row extends { id: number }>(
  list: List<Row>,
  fixedFilters: Readonly<Record<string, string>>,
): List<Row> {
  const columns = list.columns.filter(
    (column) => !Object.keys(fixedFilters).some((name) => describesRecord(column, name)),
  );
  return { ...list, columns, fixedFilters };
}

/** Whether a column describes the record itself, such as the customer's name in the list of one customer's orders. */
function describesRecord<Row>(column: Column<Row>, name: string): boolean {
  return column.name === name || (name.endsWith('.id') && column.name.startsWith(name.slice(0, -'id'.length)));
}

/** The name of a column's filter in the API. */
export function filterName<Row>(column: Column<Row>): string {
  return column.filterName ?? column.name;
}

/** The i18n key of a word, with underscores instead of dots. */
export function wordKey(texts: string, word: string): string {
  return `${texts}.${word.replaceAll('.', '_')}`;
}
