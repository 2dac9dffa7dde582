// The lists of menu items and pages, and what can be done with a row, as data.
import { panelMenuItems } from '@/api/lists/panel-menu-items';
import { panelPages } from '@/api/lists/panel-pages';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import type { MenuItem, PanelPage } from './calls';

type Away = 'archiveEntry' | 'unarchiveEntry';

function away<Row extends { actions: MenuItem['actions'] }>(
  name: Away,
  path: '/api/v1/admin/panel-menu-items/{id}' | '/api/v1/admin/panel-pages/{id}',
): Action<Row> {
  const is = name === 'archiveEntry';
  return {
    name,
    icon: is ? 'inbox' : 'replay',
    allows: (row) => (is ? row.actions.archivable : row.actions.restore),
    ...(is ? perRecordCalls('POST', `${path}/archive`) : perRecordCalls('POST', `${path}/unarchive`)),
  };
}

export const ITEMS: List<MenuItem> = defineList(panelMenuItems, {
  title: 'menuPages.items',
  columns: {
    url: 240,
    'parent.name': 160,
    is_allowed_for_authorized: 130,
    is_allowed_for_guest: 130,
    is_blank: 110,
  },
  actions: [
    away('archiveEntry', '/api/v1/admin/panel-menu-items/{id}'),
    away('unarchiveEntry', '/api/v1/admin/panel-menu-items/{id}'),
  ],
});

/** Pages; a name opens its editor. */
export const pages = (edit: (row: PanelPage) => void): List<PanelPage> =>
  defineList(panelPages, {
    title: 'menuPages.pages',
    columns: {
      name: {
        width: 260,
        cell: (row) => (
          <button type="button" className="link" onClick={() => edit(row)}>
            {row.name}
          </button>
        ),
      },
      route_name: 220,
    },
    actions: [
      away('archiveEntry', '/api/v1/admin/panel-pages/{id}'),
      away('unarchiveEntry', '/api/v1/admin/panel-pages/{id}'),
    ],
  });
