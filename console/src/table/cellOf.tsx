// What a column is by its kind: its width, its side, its filter and its cell. What is special about a column stays with its
// list.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Declared, DeclaredColumn } from '@/api/declared';
import { percentOf } from '@/form/decimal';
import { count, money, percent } from '@/i18n/format';
import { Flag, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { type Column, type Filter, wordText } from './declare';
import type { RecordKind } from './records';
import { WORD_TEXTS } from './wordTexts';

/** What a missing value looks like. */
const NONE = '–';

type Kind = DeclaredColumn['kind'];

const WIDTHS: Readonly<Record<Kind, number>> = {
  id: 80,
  number: 90,
  money: 110,
  fraction: 100,
  percent: 90,
  time: 168,
  text: 200,
  record: 160,
  word: 130,
  words: 200,
  countries: 160,
  exact: 200,
  choice: 200,
  flag: 92,
  json: 200,
};

const FILTERS: Readonly<Partial<Record<Kind, Filter>>> = {
  id: { kind: 'ids' },
  number: { kind: 'number' },
  percent: { kind: 'number' },
  money: { kind: 'money' },
  fraction: { kind: 'share' },
  time: { kind: 'time' },
  text: { kind: 'text' },
  exact: { kind: 'text' },
  choice: { kind: 'text' },
  flag: { kind: 'flag' },
  countries: { kind: 'choices', of: 'countries' },
};

/** What can be picked; payment methods are few, and their names are typed. */
const RECORDS: Readonly<Partial<Record<NonNullable<DeclaredColumn['of']>, RecordKind>>> = {
  user: 'user',
  service: 'service',
  provider: 'provider',
  external_panel: 'panel',
};

const ENDS: readonly Kind[] = ['number', 'money', 'fraction', 'percent'];

/** The cell of a column that its list must draw itself: its kind says nothing of a cell. */
export const undrawn = (): ReactNode => NONE;

/** The key of a column's label. */
export const labelOf = ({ labels }: Declared, name: string) => `columns.${labels}.${name.replaceAll('.', '_')}`;

/** The column as its kind has it. */
export function columnOf<Row>(list: Declared, column: DeclaredColumn): Column<Row> {
  const searched = list.columns.find(({ name }) => name === column.filteredBy) ?? column;
  const filter = column.searchable === false ? undefined : filterOf(searched);
  const user = column.filteredBy !== undefined && searched.of === 'user' ? column.filteredBy : undefined;
  return {
    name: column.name,
    label: labelOf(list, column.name),
    width: column.inRow === false ? 120 : user ? 150 : searched.of ? WIDTHS.record : WIDTHS[column.kind],
    cell:
      column.kind === 'json' || column.inRow === false
        ? undrawn
        : (row) => (user ? person(at(row, user)) : cellOf(column, at(row, column.name))),
    ...(ENDS.includes(column.kind) ? { align: 'end' as const } : {}),
    ...(filter ? { filter } : {}),
    ...(column.filteredBy ? { filterName: column.filteredBy } : {}),
    ...(column.searchable === false ? { sortable: false as const } : {}),
    ...(column.permission ? { permission: column.permission } : {}),
  };
}

function filterOf({ kind, of, set, words }: DeclaredColumn): Filter | undefined {
  if (kind === 'record') {
    const record = of && RECORDS[of];
    return record ? { kind: 'record', of: record } : { kind: 'text' };
  }
  if (!set || !words) return FILTERS[kind];
  const texts = WORD_TEXTS[set];
  return texts ? { kind: 'words', words, texts } : { kind: 'words', words };
}

function cellOf(column: DeclaredColumn, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return NONE;
  switch (column.kind) {
    case 'number':
      return count(value as number);
    case 'money':
      return money(value as string);
    case 'percent':
      return percent(value as string);
    case 'fraction':
      return percent(percentOf(value as string));
    case 'time':
      return <When at={value as string} />;
    case 'flag':
      return <Flag on={value as boolean} />;
    case 'word':
      return <Word column={column} word={value as string} />;
    default:
      return Array.isArray(value) ? value.join(', ') || NONE : String(value);
  }
}

function Word({ column, word }: { column: DeclaredColumn; word: string }) {
  const { t } = useTranslation();
  const texts = column.set && WORD_TEXTS[column.set];
  if (texts === 'status') return <StatusTag status={word} />;
  return <>{texts ? wordText({ kind: 'words', words: [], texts }, word, t) : word}</>;
}

function person(value: unknown): ReactNode {
  return value ? <UserLink user={value as { id: number; name: string }} /> : NONE;
}

function at(row: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], row);
}
