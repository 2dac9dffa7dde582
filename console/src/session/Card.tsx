// The card that signing in and setting up stand in.
import type { ReactNode } from 'react';
import { useSettings } from './settings';

export function Card({ title, children }: { title: string; children: ReactNode }) {
  const { panel_name } = useSettings();
  return (
    <main className="gate">
      <div className="gate-card">
        <div className="brand">
          <span className="brand-mark" aria-hidden>
            <i className="pi pi-bolt" />
          </span>
          <span className="brand-name">{panel_name}</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
