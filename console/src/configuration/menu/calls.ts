// The menu of the customers' site as its screens need it.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { panelMenuItems } from '@/api/lists/panel-menu-items';
import { fetchRows } from '@/api/table';

export type MenuItem = Schemas['MenuItem'];
export type Custom = Schemas['CustomMenuItem'];
export type PanelPage = Schemas['PanelPage'];

export const MENU = 'panel-menu-items';
export const CUSTOM = ['custom-menu-items'];
export const PAGES = 'panel-pages';

/** Every item that is not put away, in its order. */
export function useMenu() {
  return useQuery({
    queryKey: [MENU, 'tree'],
    queryFn: ({ signal }) => readMenu(signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

export const readMenu = (signal?: AbortSignal): Promise<readonly MenuItem[]> =>
  fetchRows(panelMenuItems, 1000, signal, {
    parameters: { is_archived: '0' },
    sort: [{ column: 'sorting', descending: false }],
  });

export function useCustom() {
  return useQuery({ queryKey: CUSTOM, queryFn: readCustom });
}

export async function readCustom(): Promise<readonly Custom[]> {
  return (await unwrap(api.GET('/api/v1/admin/custom-menu-items'))).data;
}
