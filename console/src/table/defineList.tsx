// Creates a `List` from the generated declaration and the additions of the screen, such as widths, cells and actions. A screen must
// not repeat facts that the contract declares.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ColumnDeclaration, ListDeclaration } from '@/api/listDeclaration';
import { BooleanText } from '@/ui/cells';
import { createColumn, getColumnLabelKey } from './createColumn';
import type { Column, List } from './listDefinition';

type RenderCell<Row> = (row: Row) => ReactNode;

/** Overrides of a column's defaults. */
interface ColumnOverrides<Row> extends Partial<Omit<Column<Row>, 'name'>> {
  /** Returns the URL to which the value links. */
  linkTo?: (row: Row) => string;
  /** Shows a true flag as a warning. */
  isWarning?: true;
}

type ColumnName<D extends ListDeclaration> = D['columns'][number]['name'] | D['filters'][number]['name'];

interface ListAdditions<Row extends { id: number }, D extends ListDeclaration>
  extends Omit<List<Row>, 'name' | 'path' | 'columns' | 'parameters' | 'hiddenFilters'> {
  /** The name of the list in the console, if it differs from the name of the list in the API. */
  name?: string;
  /** The API path, if it differs from the declared path, as in a list on the page of a record. */
  path?: string;
  /** Overrides by column name. A number overrides the width, a function overrides the cell. */
  columns?: { readonly [N in ColumnName<D>]?: number | RenderCell<Row> | ColumnOverrides<Row> };
  /** Additional columns at the end that do not show a field of the row, such as a column with a button. */
  extraColumns?: readonly Column<Row>[];
}

export function defineList<Row extends { id: number }, const D extends ListDeclaration>(
  declaration: D & { readonly row?: Row },
  { name, path, columns = {}, extraColumns = [], ...additions }: ListAdditions<Row, D>,
): List<Row> {
  const list: ListDeclaration = declaration;
  const overrides = columns as Readonly<Record<string, number | RenderCell<Row> | ColumnOverrides<Row> | undefined>>;
  const toColumn = (column: ColumnDeclaration) =>
    withColumnOverrides<Row>(createColumn<Row>(list, column), overrides[column.name]);
  const offeredColumns = [...list.columns, ...list.filters.filter(needsOwnColumn(list))].filter(
    ({ hasLabel }) => hasLabel !== false,
  );
  const visibleColumns = list.defaultColumns.flatMap((name) => offeredColumns.filter((column) => column.name === name));
  const columnsNotShownByDefault = offeredColumns.filter((column) => !visibleColumns.includes(column));
  const hasCell = ({ name, inRow }: ColumnDeclaration) =>
    inRow !== false || getCellOverride(overrides[name]) !== undefined;
  const hiddenColumns = columnsNotShownByDefault.filter((column) => hasCell(column) && list.columns.includes(column));
  const filterColumns = columnsNotShownByDefault.filter(
    (column) => !hiddenColumns.includes(column) && column.searchable !== false,
  );
  const sort = list.defaultSort?.[0];
  return {
    ...(sort ? { sort: { column: sort[0], descending: sort[1] } } : {}),
    ...(list.pageSize ? { pageSize: list.pageSize } : {}),
    ...additions,
    name: name ?? list.name,
    path: path ?? list.path,
    columns: [
      ...visibleColumns.map(toColumn),
      ...hiddenColumns.map((column) => ({ ...toColumn(column), hidden: true as const })),
      ...filterColumns.map((column) => ({ ...toColumn(column), filterOnly: true as const, cell: () => null })),
      ...extraColumns,
    ],
    parameters: list.filters.map((filter) => filter.name),
    hiddenFilters: getFiltersWithoutColumn(list, offeredColumns),
  };
}

/** Whether a filter needs its own column. It does not if an offered column has the same name. */
const needsOwnColumn =
  ({ columns }: ListDeclaration) =>
  (filter: ColumnDeclaration) =>
    !columns.some((column) => column.name === filter.name && column.hasLabel !== false);

/** Returns the filters that only a URL can set, because the list has no column for them, with the label keys of their chips. */
function getFiltersWithoutColumn(
  list: ListDeclaration,
  offeredColumns: readonly ColumnDeclaration[],
): Readonly<Record<string, string>> {
  const searchableColumns = [...list.columns, ...list.filters].filter(({ searchable }) => searchable !== false);
  const filtersWithoutColumn = searchableColumns.filter(
    (column) => !offeredColumns.some(({ name }) => name === column.name),
  );
  const getRecordName = (name: string) => name.replace(/([._]id|\.(name|email|code))$/, '');
  return Object.fromEntries(
    filtersWithoutColumn.flatMap(({ name, aliasOf }) => {
      const relatedColumn = offeredColumns.find(
        (column) => column.name === aliasOf || getRecordName(column.name) === getRecordName(name),
      );
      return relatedColumn ? [[name, getColumnLabelKey(list, relatedColumn.name)]] : [];
    }),
  );
}

const getCellOverride = <Row,>(override: number | RenderCell<Row> | ColumnOverrides<Row> | undefined) =>
  typeof override === 'object' ? override.cell : typeof override === 'function' ? override : undefined;

function withColumnOverrides<Row>(
  column: Column<Row>,
  override: number | RenderCell<Row> | ColumnOverrides<Row> | undefined,
): Column<Row> {
  if (override === undefined) return column;
  if (typeof override === 'number') return { ...column, width: override };
  if (typeof override === 'function') return { ...column, cell: override };
  const { linkTo, isWarning, ...otherOverrides } = override;
  const getFieldValue = (row: Row) => (row as Record<string, unknown>)[column.name];
  return {
    ...column,
    ...(linkTo ? { cell: (row: Row) => <Link href={linkTo(row)}>{getFieldValue(row) as number}</Link> } : {}),
    ...(isWarning ? { cell: (row: Row) => <BooleanText value={getFieldValue(row) as boolean} isWarning /> } : {}),
    ...otherOverrides,
  };
}
