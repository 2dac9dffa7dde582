// The lists of menu items and pages, and what can be done with a row, as data.
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
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
    ...(is ? eachOf('POST', `${path}/archive`) : eachOf('POST', `${path}/unarchive`)),
  };
}

const m = columnsOf<MenuItem>('menuPages');
const ITEM_COLUMNS: readonly Column<MenuItem>[] = [
  m.id(80),
  m.text('name', 'name', 200),
  m.text('url', 'url', 240),
  {
    name: 'parent.name',
    label: 'menuPages.columns.parent',
    width: 160,
    filter: { kind: 'text' },
    cell: (row) => row.parent?.name ?? '–',
  },
  m.number('sorting', 'place'),
  m.status('status', 'status', ['active', 'disabled', 'archived']),
  m.flag('is_allowed_for_authorized', 'authorized', 130),
  m.flag('is_allowed_for_guest', 'guest', 130),
  m.flag('is_blank', 'blank', 110, { hidden: true }),
  m.time('created_at', 'createdAt', { hidden: true }),
];

export const ITEMS: List<MenuItem> = {
  name: 'panel-menu-items',
  title: 'menuPages.items',
  path: '/api/v1/admin/panel-menu-items',
  columns: ITEM_COLUMNS,
  plain: ['is_archived'],
  actions: [
    away('archiveEntry', '/api/v1/admin/panel-menu-items/{id}'),
    away('unarchiveEntry', '/api/v1/admin/panel-menu-items/{id}'),
  ],
};

const p = columnsOf<PanelPage>('menuPages');

/** Pages; a name opens its editor. */
export const pages = (edit: (row: PanelPage) => void): List<PanelPage> => ({
  name: 'panel-pages',
  title: 'menuPages.pages',
  path: '/api/v1/admin/panel-pages',
  size: 15,
  columns: [
    p.id(80),
    p.text('name', 'name', 260, {
      cell: (row) => (
        <button type="button" className="link" onClick={() => edit(row)}>
          {row.name}
        </button>
      ),
    }),
    p.text('route_name', 'route', 220),
    p.status('status', 'status', ['active', 'archived']),
    p.time('created_at', 'createdAt'),
  ],
  actions: [
    away('archiveEntry', '/api/v1/admin/panel-pages/{id}'),
    away('unarchiveEntry', '/api/v1/admin/panel-pages/{id}'),
  ],
});
