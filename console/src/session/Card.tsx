// The card that signing in and setting up stand in.
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
