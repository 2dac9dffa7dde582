// Components for the page of a record: a card, a description list, and a small table.
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
  /** Limits the width of the column and wraps its text. */
  wraps?: true;
  /** The name of the column in the API, if the user can sort by it. */
  sortBy?: string;
}

interface SmallTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly SmallColumn<Row>[];
  rowKey: (row: Row, index: number) => string | number;
  /** Text without rows. */
  empty: string;
  sort?: Sort | undefined;
  /** Called with `sortBy` when the user clicks the heading. */
  onSort?: (column: string) => void;
}

/** A table without pagination, for the few rows that belong to a record. */
export function SmallTable<Row>({ label, rows, columns, rowKey, empty, sort, onSort }: SmallTableProps<Row>) {
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
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
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
