// What a screen is: its path, who may enter, its place in the menu and the file that draws it, loaded when it is entered.
import type { ComponentType, LazyExoticComponent } from 'react';
import type english from '@/i18n/texts/en.json';
import type { CounterName } from '@/live/counters';
import type { Permission } from '@/session/hooks';

/** The groups of the menu, in their order. Their texts stand under `menuGroup`. */
export const GROUPS = ['orders', 'people', 'money', 'catalogue', 'marketing', 'supply', 'system'] as const;
export type Group = (typeof GROUPS)[number];

export interface Screen {
  path: string;
  /** Any one of these; an empty list asks for nothing but a sign-in. */
  permissions: readonly Permission[];
  /** Key under `menu`; screens without one are reached from others. */
  menu?: keyof (typeof english)['menu'];
  /** Where it stands in the menu; one without stands above all groups. */
  group?: Group;
  icon?: string;
  /** What the menu counts, and the filter that shows what is counted. */
  counter?: { name: CounterName; filter: string };
  draw: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}
