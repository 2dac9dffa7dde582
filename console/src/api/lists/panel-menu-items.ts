// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { MenuItemStatus } from '../words';

export const panelMenuItems = declareList<'MenuItem'>()({
  name: 'panel-menu-items',
  path: '/api/v1/admin/panel-menu-items',
  labels: 'panel-menu-items',
  wide: ['id', 'name', 'url', 'parent.name', 'sorting', 'status', 'is_allowed_for_authorized', 'is_allowed_for_guest'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'menu_item_id', kind: 'id', offered: false, aliasOf: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'parent.id', kind: 'id', offered: false },
    { name: 'parent.name', kind: 'text' },
    { name: 'sorting', kind: 'number' },
    { name: 'status', kind: 'word', set: 'MenuItemStatus', words: MenuItemStatus },
    { name: 'is_enabled', kind: 'flag', offered: false },
    { name: 'is_archived', kind: 'flag', offered: false },
    { name: 'is_allowed_for_authorized', kind: 'flag' },
    { name: 'is_allowed_for_guest', kind: 'flag' },
    { name: 'is_blank', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag', offered: false },
  ],
});
