// The definition of a screen: path, permissions, menu entry, and the component, which is loaded on the first visit.
import type { ComponentType, LazyExoticComponent } from 'react';
import type english from '@/i18n/texts/en.json';
import type { CounterName } from '@/live/counters';
import type { Permission } from '@/session/hooks';

/** The groups of the menu in their order. Their texts are under `menuGroup`. */
export const GROUPS = ['orders', 'people', 'money', 'catalogue', 'marketing', 'supply', 'system'] as const;
export type Group = (typeof GROUPS)[number];

export interface Screen {
  path: string;
  /** The user needs any one of these; an empty list requires only a sign-in. */
  permissions: readonly Permission[];
  /** i18n key under `menu`. Screens without one are not in the menu. */
  menu?: keyof (typeof english)['menu'];
  /** Group in the menu; screens without a group are above all groups. */
  group?: Group;
  icon?: string;
  /** The counter in the menu, and the filter that shows the counted records. */
  counter?: { name: CounterName; filter: string };
  component: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}
