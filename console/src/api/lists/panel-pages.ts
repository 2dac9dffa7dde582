// Made from openapi.json by `npm run openapi`. Never edit it.
import { declareList } from '../listDeclaration';
import { PageStatus } from '../words';

export const panelPages = declareList<'PanelPage'>()({
  name: 'panel-pages',
  path: '/api/v1/admin/panel-pages',
  labels: 'panel-pages',
  wide: ['id', 'name', 'route_name', 'status', 'created_at'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'page_id', kind: 'id', offered: false, aliasOf: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'route_name', kind: 'text' },
    { name: 'status', kind: 'word', set: 'PageStatus', words: PageStatus },
    { name: 'is_archived', kind: 'flag', offered: false },
    { name: 'created_at', kind: 'time' },
  ],
  filters: [
    { name: 'is_archived', kind: 'flag', offered: false },
  ],
  length: 15,
});
