// A section of the page of a record, with a title. `headerActions` are shown at the end of the header.
import type { ReactNode } from 'react';

export function Card({
  title,
  headerActions,
  children,
}: {
  title: string;
  headerActions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        {headerActions}
      </header>
      {children}
    </section>
  );
}
