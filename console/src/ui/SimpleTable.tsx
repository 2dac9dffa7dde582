// A table without pagination, for the few rows that belong to a record.
import type { ReactNode } from 'react';
import type { Sort } from '@/api/table';

interface SimpleColumn<Row> {
  title: string;
  renderCell: (row: Row) => ReactNode;
  align?: 'end';
  /** Limits the width of the column and wraps its text. */
  isNarrow?: true;
  /** The name of the column in the API, if the user can sort by it. */
  sortBy?: string;
}

interface SimpleTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly SimpleColumn<Row>[];
  getRowKey: (row: Row, index: number) => string | number;
  /** The text that replaces the table if there are no rows. */
  emptyText: string;
  sort?: Sort | undefined;
  /** Called with the `sortBy` of a column when the user clicks its heading. */
  onSort?: (column: string) => void;
}

export function SimpleTable<Row>({ label, rows, columns, getRowKey, emptyText, sort, onSort }: SimpleTableProps<Row>) {
  if (rows.length === 0) return <p className="none">{emptyText}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="small-scroll" tabIndex={0} aria-label={label}>
      <table className="small">
        <caption className="sr">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              // A column that contains only buttons has no heading.
              column.title ? <Heading key={column.title} column={column} sort={sort} onSort={onSort} /> : <td key="" />,
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={getRowKey(row, index)}>
              {columns.map((column) => (
                <td key={column.title} data-align={column.align} data-wraps={column.isNarrow}>
                  {column.renderCell(row)}
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
  column: SimpleColumn<Row>;
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
