// A list is data: what it is called, where it is read, its columns and what can be done with its rows. Adding a
// list is writing one of these; nothing here draws or fetches.
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';
import type { Permission } from '@/session/hooks';
import type { AnyAction } from './action';
import type { ChoiceList } from './choices';
import type { RecordKind } from './records';
import type { WordTexts } from './wordTexts';

/** How a column is searched: decides the control and how what was typed is read. */
export type Filter =
  | { kind: 'text' | 'ids' | 'number' | 'money' | 'time' | 'flag' }
  /** A share of one, typed in percent. */
  | { kind: 'share' }
  /** One or more records of a kind, by id; the wire takes a part of a text as well. */
  | { kind: 'record'; of: RecordKind }
  /** One or more words of a closed set that the server knows. */
  | { kind: 'choices'; of: ChoiceList }
  /** One or more of `words`; their texts stand under `texts`, such as `status`. Without, they are names that stay. */
  | {
      kind: 'words';
      words: readonly string[];
      texts?: WordTexts;
    };

export interface Column<Row> {
  /** As on the wire; also what is sorted by. */
  name: string;
  /** Key of its heading. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** In pixels at the compact size. */
  width: number;
  align?: 'end';
  filter?: Filter;
  /** The wire's column to search, where it differs from `name`. */
  filterName?: string;
  sortable?: false;
  /** Not shown until someone asks for it. */
  hidden?: true;
  permission?: Permission;
  /** What rows do not show: it can be filtered by, and that is all. */
  filterOnly?: true;
}

export interface List<Row extends { id: number }> {
  /** Its key for what is remembered, for saved views, and the list's texts. */
  name: string;
  /** Key of its heading. */
  title: string;
  /** Key of the sentence below the heading, for a list whose name does not say what it is for. */
  about?: string;
  path: string;
  columns: readonly Column<Row>[];
  /** What the wire accepts beside its columns, such as `drip_feed_id`; shown as chips. */
  plain?: readonly string[];
  /** What the wire searches without a column of the list's own, such as `user.id`, and the key of its chip's name. */
  searched?: Readonly<Record<string, string>>;
  /** The record that the list belongs to, such as `{ 'user.id': '7' }`: always asked for, never shown or remembered. */
  fixed?: Readonly<Record<string, string>>;
  /** Filters of a first visit; they stand in the address and can be taken away. */
  defaults?: Readonly<Record<string, string>>;
  /** Filters that "Reset filter" leaves as they are. */
  stays?: readonly string[];
  sort?: Sort;
  /** Rows of a page where nobody says how many; 30 in most lists. */
  size?: number;
  /** Read again so often while it is looked at, for what others change. */
  everyMs?: number;
  actions?: readonly AnyAction<Row>[];
  /** Where a row leads. */
  open?: (row: Row) => string;
}

/** The text of a word: words with a dot, such as `order.created`, have their texts under the word with `_`. */
export function wordText({ texts }: Extract<Filter, { kind: 'words' }>, word: string, t: TFunction): string {
  return texts ? t(`${texts}.${word.replace('.', '_')}` as 'status.active', { defaultValue: word }) : word;
}

export const PAGE_SIZES = [10, 20, 30, 50, 100] as const;
export const DEFAULT_SIZE = 30;

/** The part of a list that belongs to one record, as a tab of it. */
export function within<Row extends { id: number }>(
  list: List<Row>,
  fixed: Readonly<Record<string, string>>,
): List<Row> {
  const columns = list.columns.filter((column) => !Object.keys(fixed).some((name) => isOf(column, name)));
  return { ...list, columns, fixed };
}

/** The customer's own name says nothing in a list of theirs. */
function isOf<Row>(column: Column<Row>, name: string): boolean {
  return column.name === name || (name.endsWith('.id') && column.name.startsWith(name.slice(0, -'id'.length)));
}

/** The wire's name of what a column's filter searches. */
export function filterName<Row>(column: Column<Row>): string {
  return column.filterName ?? column.name;
}

/** The key of a word's text: dots of a word, such as `order.created`, are underscores there. */
export function wordKey(texts: string, word: string): string {
  return `${texts}.${word.replaceAll('.', '_')}`;
}
