// Creates a `List` from the generated declaration and the screen's additions: widths, cells and actions. The screen does not repeat
// facts that the contract declares.
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
  to?: (row: Row) => string;
  /** Shows a flag as a warning. */
  bad?: true;
}

type Name<D extends ListDeclaration> = D['columns'][number]['name'] | D['filters'][number]['name'];

interface ListParts<Row extends { id: number }, D extends ListDeclaration>
  extends Omit<List<Row>, 'name' | 'path' | 'columns' | 'parameters' | 'hiddenFilters'> {
  /** The name for stored state, when it differs from the server's list. */
  name?: string;
  /** The path of a list within a record's page. */
  path?: string;
  /** Overrides by column name; a number is the width, a function the cell. */
  columns?: { readonly [N in Name<D>]?: number | Cell<Row> | ColumnOverrides<Row> };
  /** Additional columns at the end that are no field of the row, such as a button. */
  extra?: readonly Column<Row>[];
}

export function defineList<Row extends { id: number }, const D extends ListDeclaration>(
  declared: D & { readonly row?: Row },
  { name, path, columns = {}, extra = [], ...rest }: ListParts<Row, D>,
): List<Row> {
  const list: ListDeclaration = declared;
  const overrides = columns as Readonly<Record<string, number | Cell<Row> | ColumnOverrides<Row> | undefined>>;
  const toColumn = (column: ColumnDeclaration) =>
    withColumnOverrides<Row>(columnFromDeclaration<Row>(list, column), overrides[column.name]);
  const offered = [...list.columns, ...list.filters.filter(isNew(list))].filter(({ offered }) => offered !== false);
  const shown = list.wide.flatMap((name) => offered.filter((column) => column.name === name));
  const others = offered.filter((column) => !shown.includes(column));
  const isField = ({ name, inRow }: ColumnDeclaration) =>
    inRow !== false || cellOverride(overrides[name]) !== undefined;
  const fields = others.filter((column) => isField(column) && list.columns.includes(column));
  const filters = others.filter((column) => !fields.includes(column) && column.searchable !== false);
  const sort = list.order?.[0];
  return {
    ...(sort ? { sort: { column: sort[0], descending: sort[1] } } : {}),
    ...(list.length ? { pageSize: list.length } : {}),
    ...rest,
    name: name ?? list.name,
    path: path ?? list.path,
    columns: [
      ...shown.map(toColumn),
      ...fields.map((column) => ({ ...toColumn(column), hidden: true as const })),
      ...filters.map((column) => ({ ...toColumn(column), filterOnly: true as const, cell: () => null })),
      ...extra,
    ],
    parameters: list.filters.map((filter) => filter.name),
    hiddenFilters: filtersWithoutColumn(list, offered),
  };
}

/** Whether a filter needs a column of its own: a filter with the name of an offered column uses that column. */
const isNew =
  ({ columns }: ListDeclaration) =>
  (filter: ColumnDeclaration) =>
    !columns.some((column) => column.name === filter.name && column.offered !== false);

/** Filters that a URL may have without a column, with the label of the column that represents them. */
function filtersWithoutColumn(
  declared: ListDeclaration,
  offered: readonly ColumnDeclaration[],
): Readonly<Record<string, string>> {
  const all = [...declared.columns, ...declared.filters].filter(({ searchable }) => searchable !== false);
  const names = all.filter((column) => !offered.some(({ name }) => name === column.name));
  const record = (name: string) => name.replace(/([._]id|\.(name|email|code))$/, '');
  return Object.fromEntries(
    names.flatMap(({ name, aliasOf }) => {
      const shown = offered.find((other) => other.name === aliasOf || record(other.name) === record(name));
      return shown ? [[name, columnLabel(declared, shown.name)]] : [];
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
  const { to, bad, ...more } = override;
  const field = (row: Row) => (row as Record<string, unknown>)[column.name];
  return {
    ...column,
    ...(to ? { cell: (row: Row) => <Link href={to(row)}>{field(row) as number}</Link> } : {}),
    ...(bad ? { cell: (row: Row) => <Flag on={field(row) as boolean} bad /> } : {}),
    ...more,
  };
}
