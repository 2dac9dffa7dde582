// The declarations of the lists of menu items and of pages, and of their actions.
import { panelMenuItems } from '@/api/lists/panel-menu-items';
import { panelPages } from '@/api/lists/panel-pages';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import type { MenuItem, PanelPage } from './requests';

type ArchivablePath = '/api/v1/admin/panel-menu-items/{id}' | '/api/v1/admin/panel-pages/{id}';

const createArchiveAction = <Row extends { actions: MenuItem['actions'] }>(path: ArchivablePath): Action<Row> => ({
  name: 'archiveEntry',
  icon: 'inbox',
  isAllowedFor: (row) => row.actions.archivable,
  ...createPerRecordRequests('POST', `${path}/archive`),
});

const createRestoreAction = <Row extends { actions: MenuItem['actions'] }>(path: ArchivablePath): Action<Row> => ({
  name: 'unarchiveEntry',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.restore,
  ...createPerRecordRequests('POST', `${path}/unarchive`),
});

export const MENU_ITEM_LIST: List<MenuItem> = defineList(panelMenuItems, {
  title: 'menuPages.items',
  columns: {
    url: 240,
    'parent.name': 160,
    is_allowed_for_authorized: 130,
    is_allowed_for_guest: 130,
    is_blank: 110,
  },
  actions: [
    createArchiveAction('/api/v1/admin/panel-menu-items/{id}'),
    createRestoreAction('/api/v1/admin/panel-menu-items/{id}'),
  ],
});

/** Declares the list of pages. `onEdit` runs when the user clicks the name of a page. */
export const definePageList = (onEdit: (page: PanelPage) => void): List<PanelPage> =>
  defineList(panelPages, {
    title: 'menuPages.pages',
    columns: {
      name: {
        width: 260,
        cell: (row) => (
          <button type="button" className="link" onClick={() => onEdit(row)}>
            {row.name}
          </button>
        ),
      },
      route_name: 220,
    },
    actions: [
      createArchiveAction('/api/v1/admin/panel-pages/{id}'),
      createRestoreAction('/api/v1/admin/panel-pages/{id}'),
    ],
  });
