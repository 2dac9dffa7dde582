// Creates a column with the default width, alignment, filter and cell of its kind. A list overrides the defaults where it must.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnDeclaration, ListDeclaration } from '@/api/listDeclaration';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { Flag, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { StatusTag } from '@/ui/StatusTag';
import { ENUM_TEXTS } from './enumTexts';
import { type Column, enumText, type Filter } from './listDefinition';
import type { RecordKind } from './records';

/** Placeholder of a missing value. */
const MISSING_VALUE = '–';

type ColumnKind = ColumnDeclaration['kind'];

const WIDTHS: Readonly<Record<ColumnKind, number>> = {
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

const FILTERS: Readonly<Partial<Record<ColumnKind, Filter>>> = {
  id: { kind: 'ids' },
  number: { kind: 'number' },
  percent: { kind: 'number' },
  money: { kind: 'money' },
  fraction: { kind: 'fraction' },
  time: { kind: 'time' },
  text: { kind: 'text' },
  exact: { kind: 'text' },
  choice: { kind: 'text' },
  flag: { kind: 'flag' },
  countries: { kind: 'choices', list: 'countries' },
};

/** The kinds of record with a picker. Payment methods have none: they are few, so staff type their names. */
const RECORD_KINDS: Readonly<Partial<Record<NonNullable<ColumnDeclaration['recordKind']>, RecordKind>>> = {
  user: 'user',
  service: 'service',
  provider: 'provider',
  external_panel: 'panel',
};

const END_ALIGNED: readonly ColumnKind[] = ['number', 'money', 'fraction', 'percent'];

/** The cell of a column whose kind has no default cell. The list must override it; a test fails otherwise. */
export const placeholderCell = (): ReactNode => MISSING_VALUE;

/** The i18n key of a column's label. */
export const columnLabel = ({ labels }: ListDeclaration, name: string) =>
  `columns.${labels}.${name.replaceAll('.', '_')}`;

export function columnFromDeclaration<Row>(list: ListDeclaration, column: ColumnDeclaration): Column<Row> {
  const filterColumn = list.columns.find(({ name }) => name === column.filteredBy) ?? column;
  const filter = column.searchable === false ? undefined : filterOf(filterColumn);
  const userField =
    column.filteredBy !== undefined && filterColumn.recordKind === 'user' ? column.filteredBy : undefined;
  return {
    name: column.name,
    label: columnLabel(list, column.name),
    width:
      column.inRow === false ? 120 : userField ? 150 : filterColumn.recordKind ? WIDTHS.record : WIDTHS[column.kind],
    cell:
      column.kind === 'json' || column.inRow === false
        ? placeholderCell
        : (row) => (userField ? userCell(valueAt(row, userField)) : defaultCell(column, valueAt(row, column.name))),
    ...(END_ALIGNED.includes(column.kind) ? { align: 'end' as const } : {}),
    ...(filter ? { filter } : {}),
    ...(column.filteredBy ? { filterName: column.filteredBy } : {}),
    ...(column.searchable === false ? { sortable: false as const } : {}),
    ...(column.permission ? { permission: column.permission } : {}),
  };
}

function filterOf({ kind, recordKind, enumName, values }: ColumnDeclaration): Filter | undefined {
  if (kind === 'record') {
    const pickerKind = recordKind && RECORD_KINDS[recordKind];
    return pickerKind ? { kind: 'record', recordKind: pickerKind } : { kind: 'text' };
  }
  if (!enumName || !values) return FILTERS[kind];
  const texts = ENUM_TEXTS[enumName];
  return texts ? { kind: 'enum', values, texts } : { kind: 'enum', values };
}

function defaultCell(column: ColumnDeclaration, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return MISSING_VALUE;
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
      return <DateTime time={value as string} />;
    case 'flag':
      return <Flag value={value as boolean} />;
    case 'word':
      return <EnumText column={column} value={value as string} />;
    default:
      return Array.isArray(value) ? value.join(', ') || MISSING_VALUE : String(value);
  }
}

function EnumText({ column, value }: { column: ColumnDeclaration; value: string }) {
  const { t } = useTranslation();
  const texts = column.enumName && ENUM_TEXTS[column.enumName];
  if (texts === 'status') return <StatusTag status={value} />;
  return <>{texts ? enumText({ kind: 'enum', values: [], texts }, value, t) : value}</>;
}

function userCell(value: unknown): ReactNode {
  return value ? <UserLink user={value as { id: number; name: string }} /> : MISSING_VALUE;
}

function valueAt(row: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], row);
}
