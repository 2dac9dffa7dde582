// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { PageStatus } from '../enums';

export const panelPages = declareList<'PanelPage'>()({
  name: 'panel-pages',
  path: '/api/v1/admin/panel-pages',
  labels: 'panel-pages',
  defaultColumns: ['id', 'name', 'route_name', 'status', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'page_id', kind: 'id', hasLabel: false, aliasOf: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'route_name', kind: 'text' },
    { name: 'status', kind: 'enum', enumName: 'PageStatus', values: PageStatus },
    { name: 'is_archived', kind: 'flag', hasLabel: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag', hasLabel: false },
  ],
  pageSize: 15,
});
