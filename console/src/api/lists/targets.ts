// Generated from openapi.json by `npm run openapi`. Do not edit.
import { declareList } from '../listDeclaration';
import { TargetName, ViewType } from '../enums';

export const targets = declareList<'TargetRow'>()({
  name: 'targets',
  path: '/api/v1/admin/targets',
  labels: 'targets',
  defaultColumns: ['id', 'name', 'target_type.name', 'target_type.view_type', 'selectable_values', 'services_count', 'is_visible_default_values', 'is_system'],
  columns: [
    { name: 'id', kind: 'id' },
    { name: 'name', kind: 'text' },
    { name: 'target_type.id', kind: 'id', hasLabel: false },
    { name: 'target_type.name', kind: 'enum', enumName: 'TargetName', values: TargetName },
    { name: 'target_type.title', kind: 'text' },
    { name: 'target_type.view_type', kind: 'enum', enumName: 'ViewType', values: ViewType },
    { name: 'is_system', kind: 'flag' },
    { name: 'is_visible_default_values', kind: 'flag' },
    { name: 'created_at', kind: 'time' },
    { name: 'services_count', kind: 'number', searchable: false },
    { name: 'placeholder', kind: 'text', hasLabel: false, searchable: false },
    { name: 'selectable_values', kind: 'json', searchable: false },
  ],
  filters: [],
});
