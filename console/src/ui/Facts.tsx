// Facts of a record: a name and a value each, in a card.
import type { ReactNode } from 'react';

export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
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

export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
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
}

interface SmallProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly SmallColumn<Row>[];
  rowKey: (row: Row, at: number) => string | number;
  empty: string;
}

/** A table of few rows that belong to a record. */
export function SmallTable<Row>({ label, rows, columns, rowKey, empty }: SmallProps<Row>) {
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
              column.title ? (
                <th key={column.title} scope="col" data-align={column.align}>
                  {column.title}
                </th>
              ) : (
                <td key="" />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={rowKey(row, at)}>
              {columns.map((column) => (
                <td key={column.title} data-align={column.align}>
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
