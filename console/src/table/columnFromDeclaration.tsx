// Default width, alignment, filter and cell of a column by its type. A list overrides what is special about its columns.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnDeclaration, ListDeclaration } from '@/api/listDeclaration';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { Flag, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { StatusTag } from '@/ui/StatusTag';
import { type Column, type Filter, wordText } from './listDefinition';
import type { RecordKind } from './records';
import { WORD_TEXTS } from './wordTexts';

/** Placeholder of a missing value. */
const NONE = '–';

type Kind = ColumnDeclaration['kind'];

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

/** Types of record with a picker. Payment methods have none: they are few, and their names are typed. */
const RECORDS: Readonly<Partial<Record<NonNullable<ColumnDeclaration['of']>, RecordKind>>> = {
  user: 'user',
  service: 'service',
  provider: 'provider',
  external_panel: 'panel',
};

const END_ALIGNED: readonly Kind[] = ['number', 'money', 'fraction', 'percent'];

/** The cell of a column whose type has no default cell: its list must define one. */
export const noCell = (): ReactNode => NONE;

/** The i18n key of a column's label. */
export const columnLabel = ({ labels }: ListDeclaration, name: string) =>
  `columns.${labels}.${name.replaceAll('.', '_')}`;

export function columnFromDeclaration<Row>(list: ListDeclaration, column: ColumnDeclaration): Column<Row> {
  const searched = list.columns.find(({ name }) => name === column.filteredBy) ?? column;
  const filter = column.searchable === false ? undefined : filterOf(searched);
  const user = column.filteredBy !== undefined && searched.of === 'user' ? column.filteredBy : undefined;
  return {
    name: column.name,
    label: columnLabel(list, column.name),
    width: column.inRow === false ? 120 : user ? 150 : searched.of ? WIDTHS.record : WIDTHS[column.kind],
    cell:
      column.kind === 'json' || column.inRow === false
        ? noCell
        : (row) => (user ? userCell(valueAt(row, user)) : defaultCell(column, valueAt(row, column.name))),
    ...(END_ALIGNED.includes(column.kind) ? { align: 'end' as const } : {}),
    ...(filter ? { filter } : {}),
    ...(column.filteredBy ? { filterName: column.filteredBy } : {}),
    ...(column.searchable === false ? { sortable: false as const } : {}),
    ...(column.permission ? { permission: column.permission } : {}),
  };
}

function filterOf({ kind, of, set, words }: ColumnDeclaration): Filter | undefined {
  if (kind === 'record') {
    const record = of && RECORDS[of];
    return record ? { kind: 'record', of: record } : { kind: 'text' };
  }
  if (!set || !words) return FILTERS[kind];
  const texts = WORD_TEXTS[set];
  return texts ? { kind: 'words', words, texts } : { kind: 'words', words };
}

function defaultCell(column: ColumnDeclaration, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return NONE;
  switch (column.kind) {
    case 'number':
      return formatNumber(value as number);
    case 'money':
      return formatMoney(value as string);
    case 'percent':
      return formatPercent(value as string);
    case 'fraction':
      return formatPercent(fractionToPercent(value as string));
    case 'time':
      return <DateTime at={value as string} />;
    case 'flag':
      return <Flag on={value as boolean} />;
    case 'word':
      return <Word column={column} word={value as string} />;
    default:
      return Array.isArray(value) ? value.join(', ') || NONE : String(value);
  }
}

function Word({ column, word }: { column: ColumnDeclaration; word: string }) {
  const { t } = useTranslation();
  const texts = column.set && WORD_TEXTS[column.set];
  if (texts === 'status') return <StatusTag status={word} />;
  return <>{texts ? wordText({ kind: 'words', words: [], texts }, word, t) : word}</>;
}

function userCell(value: unknown): ReactNode {
  return value ? <UserLink user={value as { id: number; name: string }} /> : NONE;
}

function valueAt(row: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], row);
}
