// The API requests for the menu items, custom menu items and pages of the customer site.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { panelMenuItems } from '@/api/lists/panel-menu-items';
import { fetchRows } from '@/api/table';

export type MenuItem = Schemas['MenuItem'];
export type CustomMenuItem = Schemas['CustomMenuItem'];
export type PanelPage = Schemas['PanelPage'];

export const MENU_ITEMS_KEY = 'panel-menu-items';
export const CUSTOM_ITEMS_KEY = ['custom-menu-items'];
export const PAGES_KEY = 'panel-pages';

/** Returns all menu items that are not archived, in the sequence of the menu. */
export function useMenu() {
  return useQuery({
    queryKey: [MENU_ITEMS_KEY, 'tree'],
    queryFn: ({ signal }) => fetchMenu(signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

export const fetchMenu = (signal?: AbortSignal): Promise<readonly MenuItem[]> =>
  fetchRows(panelMenuItems, 1000, signal, {
    parameters: { is_archived: '0' },
    sort: [{ column: 'sorting', descending: false }],
  });

export function useCustomItems() {
  return useQuery({ queryKey: CUSTOM_ITEMS_KEY, queryFn: fetchCustomItems });
}

export async function fetchCustomItems(): Promise<readonly CustomMenuItem[]> {
  return (await unwrap(api.GET('/api/v1/admin/custom-menu-items'))).data;
}
