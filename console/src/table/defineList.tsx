// Creates a `List` from the generated declaration and the additions of the screen: widths, cells and actions. A screen must not
// repeat what the contract declares.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ColumnDeclaration, ListDeclaration } from '@/api/listDeclaration';
import { Flag } from '@/ui/cells';
import { columnFromDeclaration, columnLabel } from './columnFromDeclaration';
import type { Column, List } from './listDefinition';

type Cell<Row> = (row: Row) => ReactNode;

/** Overrides of a column's defaults. */
interface ColumnOverrides<Row> extends Partial<Omit<Column<Row>, 'name'>> {
  /** Shows the value as a link to this URL. */
  linkTo?: (row: Row) => string;
  /** Shows a flag that is set as a warning. */
  isWarning?: true;
}

type ColumnName<D extends ListDeclaration> = D['columns'][number]['name'] | D['filters'][number]['name'];

interface ListAdditions<Row extends { id: number }, D extends ListDeclaration>
  extends Omit<List<Row>, 'name' | 'path' | 'columns' | 'parameters' | 'hiddenFilters'> {
  /** The key of stored state, if it differs from the name of the server's list. */
  name?: string;
  /** The path, if it differs from the declared one: for a list on the page of a record. */
  path?: string;
  /** Overrides by column name; a number is the width, a function the cell. */
  columns?: { readonly [N in ColumnName<D>]?: number | Cell<Row> | ColumnOverrides<Row> };
  /** Columns at the end that are no field of the row, such as a button. */
  extraColumns?: readonly Column<Row>[];
}

export function defineList<Row extends { id: number }, const D extends ListDeclaration>(
  declaration: D & { readonly row?: Row },
  { name, path, columns = {}, extraColumns = [], ...rest }: ListAdditions<Row, D>,
): List<Row> {
  const list: ListDeclaration = declaration;
  const overrides = columns as Readonly<Record<string, number | Cell<Row> | ColumnOverrides<Row> | undefined>>;
  const toColumn = (column: ColumnDeclaration) =>
    withColumnOverrides<Row>(columnFromDeclaration<Row>(list, column), overrides[column.name]);
  const offeredColumns = [...list.columns, ...list.filters.filter(needsOwnColumn(list))].filter(
    ({ hasLabel }) => hasLabel !== false,
  );
  const visibleColumns = list.defaultColumns.flatMap((name) => offeredColumns.filter((column) => column.name === name));
  const otherColumns = offeredColumns.filter((column) => !visibleColumns.includes(column));
  const hasCell = ({ name, inRow }: ColumnDeclaration) =>
    inRow !== false || cellOverride(overrides[name]) !== undefined;
  const hiddenColumns = otherColumns.filter((column) => hasCell(column) && list.columns.includes(column));
  const filterColumns = otherColumns.filter((column) => !hiddenColumns.includes(column) && column.searchable !== false);
  const sort = list.defaultSort?.[0];
  return {
    ...(sort ? { sort: { column: sort[0], descending: sort[1] } } : {}),
    ...(list.pageSize ? { pageSize: list.pageSize } : {}),
    ...rest,
    name: name ?? list.name,
    path: path ?? list.path,
    columns: [
      ...visibleColumns.map(toColumn),
      ...hiddenColumns.map((column) => ({ ...toColumn(column), hidden: true as const })),
      ...filterColumns.map((column) => ({ ...toColumn(column), filterOnly: true as const, cell: () => null })),
      ...extraColumns,
    ],
    parameters: list.filters.map((filter) => filter.name),
    hiddenFilters: filtersWithoutColumn(list, offeredColumns),
  };
}

/** Whether a filter needs a column of its own: a filter with the name of an offered column is part of that column. */
const needsOwnColumn =
  ({ columns }: ListDeclaration) =>
  (filter: ColumnDeclaration) =>
    !columns.some((column) => column.name === filter.name && column.hasLabel !== false);

/** The filters that only a URL can set, because the list has no column for them, with the label key for their chips. */
function filtersWithoutColumn(
  list: ListDeclaration,
  offeredColumns: readonly ColumnDeclaration[],
): Readonly<Record<string, string>> {
  const searchable = [...list.columns, ...list.filters].filter(({ searchable }) => searchable !== false);
  const withoutColumn = searchable.filter((column) => !offeredColumns.some(({ name }) => name === column.name));
  const recordName = (name: string) => name.replace(/([._]id|\.(name|email|code))$/, '');
  return Object.fromEntries(
    withoutColumn.flatMap(({ name, aliasOf }) => {
      const relatedColumn = offeredColumns.find(
        (column) => column.name === aliasOf || recordName(column.name) === recordName(name),
      );
      return relatedColumn ? [[name, columnLabel(list, relatedColumn.name)]] : [];
    }),
  );
}

const cellOverride = <Row,>(override: number | Cell<Row> | ColumnOverrides<Row> | undefined) =>
  typeof override === 'object' ? override.cell : typeof override === 'function' ? override : undefined;

function withColumnOverrides<Row>(
  column: Column<Row>,
  override: number | Cell<Row> | ColumnOverrides<Row> | undefined,
): Column<Row> {
  if (override === undefined) return column;
  if (typeof override === 'number') return { ...column, width: override };
  if (typeof override === 'function') return { ...column, cell: override };
  const { linkTo, isWarning, ...others } = override;
  const fieldValue = (row: Row) => (row as Record<string, unknown>)[column.name];
  return {
    ...column,
    ...(linkTo ? { cell: (row: Row) => <Link href={linkTo(row)}>{fieldValue(row) as number}</Link> } : {}),
    ...(isWarning ? { cell: (row: Row) => <Flag value={fieldValue(row) as boolean} isWarning /> } : {}),
    ...others,
  };
}
