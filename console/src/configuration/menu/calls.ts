// The menu of the customers' site as its screens need it.
import { useQuery } from '@tanstack/react-query';
import { api, get, type Schemas, told } from '@/api/client';

export type MenuItem = Schemas['MenuItem'];
export type Custom = Schemas['CustomMenuItem'];
export type PanelPage = Schemas['PanelPage'];

export const MENU = 'panel-menu-items';
export const CUSTOM = ['custom-menu-items'];
export const PAGES = 'panel-pages';

/** Every item that is not put away, in its order. */
export function useMenu() {
  return useQuery({ queryKey: [MENU, 'tree'], queryFn: readMenu, staleTime: 0, refetchOnWindowFocus: false });
}

export async function readMenu(): Promise<readonly MenuItem[]> {
  const query =
    'length=1000&is_archived=0&columns[0][data]=sorting&columns[0][searchable]=true&columns[0][orderable]=true&order[0][column]=0&order[0][dir]=asc';
  const answer = await get(`/api/v1/admin/panel-menu-items?${query}`);
  return ((await answer.json()) as { data: MenuItem[] }).data;
}

export function useCustom() {
  return useQuery({
    queryKey: CUSTOM,
    queryFn: async () => (await told(api.GET('/api/v1/admin/custom-menu-items'))).data,
  });
}
