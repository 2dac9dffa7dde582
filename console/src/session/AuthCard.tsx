// The layout of the pages outside of the shell: sign-in, setup, and the pages that links in emails open.
import type { ReactNode } from 'react';
import { Brand } from './Brand';

export function AuthCard({ title, children }: { title: string; children: ReactNode }) {
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
