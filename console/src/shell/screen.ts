// The definition of a screen: its path, its permissions, its entry in the menu, and its component, which is loaded when the user
// opens the screen for the first time.
import type { ComponentType, LazyExoticComponent } from 'react';
import type english from '@/i18n/texts/en.json';
import type { CounterName } from '@/live/counters';
import type { Permission } from '@/session/hooks';

/** The groups of the menu, in their order in the menu. Their texts are under the i18n key `menuGroup`. */
export const MENU_GROUPS = ['orders', 'people', 'money', 'catalogue', 'marketing', 'supply', 'system'] as const;
export type MenuGroupName = (typeof MENU_GROUPS)[number];

export interface Screen {
  path: string;
  /** The user must have at least one of these. With an empty list, every signed-in user may open the screen. */
  permissions: readonly Permission[];
  /** The i18n key of the menu entry, under `menu`. A screen without it is not in the menu. */
  menuLabel?: keyof (typeof english)['menu'];
  /** Screens without a group are above the groups in the menu. */
  menuGroup?: MenuGroupName;
  icon?: string;
  /** A counter in the menu, and the URL query that filters the list of the screen by the counted records. */
  counter?: { name: CounterName; filterQuery: string };
  component: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}
