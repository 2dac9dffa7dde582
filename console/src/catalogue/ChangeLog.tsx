// The screen with the list of changes to catalogue records. Each row shows the old and the new value of a field.
import type { Schemas } from '@/api/client';
import { changeLogs } from '@/api/lists/change-logs';
import { Changes } from '@/operations/audit/Changes';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { ChangeActionText, ChangeModelText } from './ChangeTexts';

type ChangeLogRow = Schemas['ChangeLogRow'];

const CHANGE_LOG: List<ChangeLogRow> = defineList(changeLogs, {
  title: 'changeLog.title',
  columns: {
    id: 90,
    'user.name': 170,
    action_type: (row) => <ChangeActionText action={row.action_type} />,
    type: { width: 140, cell: (row) => <ChangeModelText model={row.type} /> },
    target_id: 90,
    information: 220,
    new_value: {
      width: 320,
      cell: (row) => {
        const field = row.information ?? '';
        if (row.old_value == null && row.new_value == null) return <span className="none">–</span>;
        return <Changes title={field} oldValues={{ [field]: row.old_value }} newValues={{ [field]: row.new_value }} />;
      },
      sortable: false,
    },
  },
});

export default function ChangeLog() {
  return <ServerTable list={CHANGE_LOG} />;
}
