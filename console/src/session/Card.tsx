// The card around sign-in, set-up and the pages of links.
import type { ReactNode } from 'react';
import { Brand } from './Brand';

export function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="gate">
      <div className="gate-card">
        <Brand />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
