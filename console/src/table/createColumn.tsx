// Creates a column with the default width, alignment, filter and cell of its kind. A list can override each default.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnDeclaration, ListDeclaration } from '@/api/listDeclaration';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { BooleanText, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { StatusTag } from '@/ui/StatusTag';
import { ENUM_TEXT_PREFIXES } from './enumTexts';
import { type Column, type Filter, translateEnumValue } from './listDefinition';
import type { RecordKind } from './recordLookups';

const MISSING_VALUE_TEXT = '–';

type ColumnKind = ColumnDeclaration['kind'];

const DEFAULT_WIDTHS: Readonly<Record<ColumnKind, number>> = {
  id: 80,
  number: 90,
  money: 110,
  fraction: 100,
  percent: 90,
  time: 168,
  text: 200,
  record: 160,
  enum: 130,
  enum_list: 200,
  countries: 160,
  exact_text: 200,
  open_enum: 200,
  flag: 92,
  json: 200,
};

const DEFAULT_FILTERS: Readonly<Partial<Record<ColumnKind, Filter>>> = {
  id: { kind: 'ids' },
  number: { kind: 'number' },
  percent: { kind: 'number' },
  money: { kind: 'money' },
  fraction: { kind: 'fraction' },
  time: { kind: 'time' },
  text: { kind: 'text' },
  exact_text: { kind: 'text' },
  open_enum: { kind: 'text' },
  flag: { kind: 'flag' },
  countries: { kind: 'choices', list: 'countries' },
};

/** The kinds of record that staff look up in a filter. Payment methods have a text filter instead, because there are few of them. */
const LOOKUP_KINDS: Readonly<Partial<Record<NonNullable<ColumnDeclaration['recordKind']>, RecordKind>>> = {
  user: 'user',
  service: 'service',
  provider: 'provider',
  external_panel: 'panel',
};

const END_ALIGNED_KINDS: readonly ColumnKind[] = ['number', 'money', 'fraction', 'percent'];

/** The cell of a column that has no default cell. Every list must override this cell; a test checks that. */
export const renderMissingCell = (): ReactNode => MISSING_VALUE_TEXT;

export const getColumnLabelKey = ({ labels }: ListDeclaration, name: string) =>
  `columns.${labels}.${name.replaceAll('.', '_')}`;

export function createColumn<Row>(list: ListDeclaration, column: ColumnDeclaration): Column<Row> {
  const filterColumn = list.columns.find(({ name }) => name === column.filteredBy) ?? column;
  const filter = column.searchable === false ? undefined : createFilter(filterColumn);
  const userField =
    column.filteredBy !== undefined && filterColumn.recordKind === 'user' ? column.filteredBy : undefined;
  return {
    name: column.name,
    label: getColumnLabelKey(list, column.name),
    width:
      column.inRow === false
        ? 120
        : userField
          ? 150
          : filterColumn.recordKind
            ? DEFAULT_WIDTHS.record
            : DEFAULT_WIDTHS[column.kind],
    cell:
      column.kind === 'json' || column.inRow === false
        ? renderMissingCell
        : (row) =>
            userField
              ? renderUserCell(getValueAt(row, userField))
              : renderDefaultCell(column, getValueAt(row, column.name)),
    ...(END_ALIGNED_KINDS.includes(column.kind) ? { align: 'end' as const } : {}),
    ...(filter ? { filter } : {}),
    ...(column.filteredBy ? { filterName: column.filteredBy } : {}),
    ...(column.searchable === false ? { sortable: false as const } : {}),
    ...(column.permission ? { permission: column.permission } : {}),
  };
}

function createFilter({ kind, recordKind, enumName, values }: ColumnDeclaration): Filter | undefined {
  if (kind === 'record') {
    const lookupKind = recordKind && LOOKUP_KINDS[recordKind];
    return lookupKind ? { kind: 'record', recordKind: lookupKind } : { kind: 'text' };
  }
  if (!enumName || !values) return DEFAULT_FILTERS[kind];
  const textPrefix = ENUM_TEXT_PREFIXES[enumName];
  return textPrefix ? { kind: 'enum', values, textPrefix } : { kind: 'enum', values };
}

function renderDefaultCell(column: ColumnDeclaration, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '') return MISSING_VALUE_TEXT;
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
      return <BooleanText value={value as boolean} />;
    case 'enum':
      return <EnumText column={column} value={value as string} />;
    default:
      return Array.isArray(value) ? value.join(', ') || MISSING_VALUE_TEXT : String(value);
  }
}

function EnumText({ column, value }: { column: ColumnDeclaration; value: string }) {
  const { t } = useTranslation();
  const textPrefix = column.enumName && ENUM_TEXT_PREFIXES[column.enumName];
  // Statuses are shown as colored tags.
  if (textPrefix === 'status') return <StatusTag status={value} />;
  return <>{textPrefix ? translateEnumValue({ kind: 'enum', values: [], textPrefix }, value, t) : value}</>;
}

function renderUserCell(value: unknown): ReactNode {
  return value ? <UserLink user={value as { id: number; name: string }} /> : MISSING_VALUE_TEXT;
}

/** Returns the value of a column name such as `user.name`. */
function getValueAt(row: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], row);
}
