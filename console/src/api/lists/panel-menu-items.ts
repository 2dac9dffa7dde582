// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { MenuItemStatus } from '../enums';

export const panelMenuItems = declareList<'MenuItem'>()({
  name: 'panel-menu-items',
  path: '/api/v1/admin/panel-menu-items',
  labels: 'panel-menu-items',
  defaultColumns: ['id', 'name', 'url', 'parent.name', 'sorting', 'status', 'is_allowed_for_authorized', 'is_allowed_for_guest'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'menu_item_id', kind: 'id', hasLabel: false, aliasOf: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'url', kind: 'text' },
    { name: 'parent.id', kind: 'id', hasLabel: false },
    { name: 'parent.name', kind: 'text' },
    { name: 'sorting', kind: 'number' },
    { name: 'status', kind: 'enum', enumName: 'MenuItemStatus', values: MenuItemStatus },
    { name: 'is_enabled', kind: 'flag', hasLabel: false },
    { name: 'is_archived', kind: 'flag', hasLabel: false },
    { name: 'is_allowed_for_authorized', kind: 'flag' },
    { name: 'is_allowed_for_guest', kind: 'flag' },
    { name: 'is_blank', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag', hasLabel: false },
  ],
});
