// What was changed in the catalogue, field by field.
import type { Schemas } from '@/api/client';
import { Changes } from '@/operations/audit/Changes';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { ChangeActionText, ChangeModelText } from './ChangeTexts';

type Row = Schemas['ChangeLogRow'];

const ACTIONS = [
  'created',
  'updated',
  'archived',
  'unarchived',
  'enabled',
  'disabled',
  'deleted',
  'sorted',
  'completed',
  'copied',
  'imported',
] as const satisfies readonly Schemas['ChangeAction'][];
/** Every kind of record that the log names; the type refuses one that is left out. */
const IS_LOGGED: Record<Schemas['ChangeModel'], true> = {
  service: true,
  service_type: true,
  network: true,
  package: true,
  provider: true,
  external_panel: true,
  coupon: true,
  discount: true,
  menu_item: true,
  page: true,
  special_offer: true,
  banner: true,
  label: true,
  target: true,
  auto_promotion: true,
  promotable_checker_group: true,
  grade: true,
  quest: true,
};
const MODELS = Object.keys(IS_LOGGED);

const c = columnsOf<Row>('changeLog');
const COLUMNS: readonly Column<Row>[] = [
  c.id(90),
  c.time('created_at', 'createdAt'),
  c.person('user', 'user', 170),
  {
    name: 'action_type',
    label: 'changeLog.columns.action',
    width: 130,
    filter: { kind: 'words', words: ACTIONS, texts: 'changeAction' },
    cell: (row) => <ChangeActionText action={row.action_type} />,
  },
  {
    name: 'type',
    label: 'changeLog.columns.type',
    width: 140,
    filter: { kind: 'words', words: MODELS, texts: 'changeModel' },
    cell: (row) => <ChangeModelText model={row.type} />,
  },
  {
    name: 'target_id',
    label: 'changeLog.columns.target',
    width: 90,
    filter: { kind: 'ids' },
    cell: (row) => row.target_id,
  },
  c.text('information', 'information', 220),
  filterOnly('old_value', 'changeLog.columns.oldValue', { kind: 'text' }),
  {
    name: 'new_value',
    label: 'changeLog.columns.change',
    width: 320,
    sortable: false,
    filter: { kind: 'text' },
    cell: (row) => {
      const field = row.information ?? '';
      if (row.old_value == null && row.new_value == null) return <span className="none">–</span>;
      return <Changes title={field} before={{ [field]: row.old_value }} after={{ [field]: row.new_value }} />;
    },
  },
];

const CHANGES: List<Row> = {
  name: 'change-logs',
  title: 'changeLog.title',
  path: '/api/v1/admin/services/logs',
  columns: COLUMNS,
};

export default function ChangeLog() {
  return <ServerTable list={CHANGES} />;
}
