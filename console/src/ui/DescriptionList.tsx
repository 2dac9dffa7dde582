// A list of labels and values on the page of a record. A missing value is shown as a dash.
import type { ReactNode } from 'react';

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
