// Building blocks of a record's page: a card, a description list, and a small table.
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';

export function Card({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function DescriptionList({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? <span className="none">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SmallColumn<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** Wraps long text within a readable width. */
  wraps?: true;
  /** The column's name in the API, if the table can be sorted by it. */
  sortBy?: string;
}

interface SmallProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly SmallColumn<Row>[];
  rowKey: (row: Row, at: number) => string | number;
  empty: string;
  sort?: Sort | undefined;
  /** Called when a heading with `sortBy` is clicked. */
  onSort?: (column: string) => void;
}

/** A table without paging, for the few rows that belong to a record. */
export function SmallTable<Row>({ label, rows, columns, rowKey, empty, sort, onSort }: SmallProps<Row>) {
  if (rows.length === 0) return <p className="none">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="small-scroll" tabIndex={0} aria-label={label}>
      <table className="small">
        <caption className="sr">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              // A column of buttons has no heading.
              column.title ? <Heading key={column.title} column={column} sort={sort} onSort={onSort} /> : <td key="" />,
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={rowKey(row, at)}>
              {columns.map((column) => (
                <td key={column.title} data-align={column.align} data-wraps={column.wraps}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadingProps<Row> {
  column: SmallColumn<Row>;
  sort: Sort | undefined;
  onSort: ((column: string) => void) | undefined;
}

function Heading<Row>({ column: { title, align, sortBy }, sort, onSort }: HeadingProps<Row>) {
  if (!sortBy || !onSort)
    return (
      <th scope="col" data-align={align}>
        {title}
      </th>
    );
  const isSorted = sort?.column === sortBy;
  const direction = isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined;
  const icon = isSorted ? (sort.descending ? 'sort-down-fill' : 'sort-up-fill') : 'sort';
  return (
    <th scope="col" data-align={align} aria-sort={direction}>
      <button type="button" className="sort" onClick={() => onSort(sortBy)}>
        <span>{title}</span>
        <i className={`pi pi-${icon}`} data-on={isSorted || undefined} aria-hidden />
      </button>
    </th>
  );
}
