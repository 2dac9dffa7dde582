// A list from the contract's declaration and what is its own: a screen says widths, cells and actions, and repeats no fact of a
// column.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Declared, DeclaredColumn } from '@/api/declared';
import { Flag } from '@/ui/cells';
import { columnOf, labelOf } from './cellOf';
import type { Column, List } from './declare';

type Cell<Row> = (row: Row) => ReactNode;

/** What a column has beside what its kind says. */
interface Own<Row> extends Partial<Omit<Column<Row>, 'name'>> {
  /** Where an id leads. */
  to?: (row: Row) => string;
  /** A flag that is bad news. */
  bad?: true;
}

type Name<D extends Declared> = D['columns'][number]['name'] | D['filters'][number]['name'];

interface Parts<Row extends { id: number }, D extends Declared>
  extends Omit<List<Row>, 'name' | 'path' | 'columns' | 'plain' | 'searched'> {
  /** Where what is remembered has another name than the list of the server. */
  name?: string;
  /** The path of a list within a record. */
  path?: string;
  /** By the column's name: a number is its width, a function its cell. */
  columns?: { readonly [N in Name<D>]?: number | Cell<Row> | Own<Row> };
  /** Columns of no field, such as a button; they stand last. */
  extra?: readonly Column<Row>[];
}

export function listOf<Row extends { id: number }, const D extends Declared>(
  declared: D & { readonly row?: Row },
  { name, path, columns = {}, extra = [], ...own }: Parts<Row, D>,
): List<Row> {
  const list: Declared = declared;
  const special = columns as Readonly<Record<string, number | Cell<Row> | Own<Row> | undefined>>;
  const made = (column: DeclaredColumn) => withOwn<Row>(columnOf<Row>(list, column), special[column.name]);
  const offered = [...list.columns, ...list.filters.filter(isNew(list))].filter(({ offered }) => offered !== false);
  const shown = list.wide.flatMap((name) => offered.filter((column) => column.name === name));
  const others = offered.filter((column) => !shown.includes(column));
  const isField = ({ name, inRow }: DeclaredColumn) => inRow !== false || ownCell(special[name]) !== undefined;
  const fields = others.filter((column) => isField(column) && list.columns.includes(column));
  const filters = others.filter((column) => !fields.includes(column) && column.searchable !== false);
  const sort = list.order?.[0];
  return {
    ...(sort ? { sort: { column: sort[0], descending: sort[1] } } : {}),
    ...(list.length ? { size: list.length } : {}),
    ...own,
    name: name ?? list.name,
    path: path ?? list.path,
    columns: [
      ...shown.map(made),
      ...fields.map((column) => ({ ...made(column), hidden: true as const })),
      ...filters.map((column) => ({ ...made(column), filterOnly: true as const, cell: () => null })),
      ...extra,
    ],
    plain: list.filters.map((filter) => filter.name),
    searched: searched(list, offered),
  };
}

/** A filter that takes the place of a column has the column's label and place, unless no screen offers the column. */
const isNew =
  ({ columns }: Declared) =>
  (filter: DeclaredColumn) =>
    !columns.some((column) => column.name === filter.name && column.offered !== false);

/** What an address may filter by without a column of its own, with the label of the column that represents it. */
function searched(declared: Declared, offered: readonly DeclaredColumn[]): Readonly<Record<string, string>> {
  const all = [...declared.columns, ...declared.filters].filter(({ searchable }) => searchable !== false);
  const names = all.filter((column) => !offered.some(({ name }) => name === column.name));
  const record = (name: string) => name.replace(/([._]id|\.(name|email|code))$/, '');
  return Object.fromEntries(
    names.flatMap(({ name, aliasOf }) => {
      const shown = offered.find((other) => other.name === aliasOf || record(other.name) === record(name));
      return shown ? [[name, labelOf(declared, shown.name)]] : [];
    }),
  );
}

const ownCell = <Row,>(own: number | Cell<Row> | Own<Row> | undefined) =>
  typeof own === 'object' ? own.cell : typeof own === 'function' ? own : undefined;

function withOwn<Row>(column: Column<Row>, own: number | Cell<Row> | Own<Row> | undefined): Column<Row> {
  if (own === undefined) return column;
  if (typeof own === 'number') return { ...column, width: own };
  if (typeof own === 'function') return { ...column, cell: own };
  const { to, bad, ...more } = own;
  const field = (row: Row) => (row as Record<string, unknown>)[column.name];
  return {
    ...column,
    ...(to ? { cell: (row: Row) => <Link href={to(row)}>{field(row) as number}</Link> } : {}),
    ...(bad ? { cell: (row: Row) => <Flag on={field(row) as boolean} bad /> } : {}),
    ...more,
  };
}
