// The declaration of the list of grades and of the actions on a grade.

import type { Schemas } from '@/api/client';
import { grades } from '@/api/lists/grades';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';

export type Grade = Schemas['Grade'];

export const PATH = '/api/v1/admin/grades/{id}';

const archiveAction = (name: 'archiveGrade' | 'unarchiveGrade'): Action<Grade> => ({
  name,
  icon: name === 'archiveGrade' ? 'inbox' : 'replay',
  allows: (row) => (name === 'archiveGrade' ? row.actions.archivable : row.actions.unarchivable),
  ...perRecordCalls('POST', name === 'archiveGrade' ? `${PATH}/archive` : `${PATH}/unarchive`),
});

export const GRADE_ACTIONS: readonly Action<Grade>[] = [archiveAction('archiveGrade'), archiveAction('unarchiveGrade')];

export const GRADES: List<Grade> = defineList(grades, {
  title: 'grades.title',
  columns: {
    id: { to: (row) => `/loyalty-program/${row.id}` },
    name: {
      width: 190,
      cell: (row) => (
        <span className="with-icon">
          {row.icon && <img src={row.icon} alt="" />}
          {row.name}
        </span>
      ),
    },
    spending_goal: 130,
    users_count: 110,
    thumbnail_period: 130,
    consultation_chat_period: 130,
    available_closed_sales: 120,
    available_personal_manager: 120,
    translations: { width: 110, cell: (row) => formatNumber(Object.keys(row.translations).length), align: 'end' },
    is_archived: 100,
  },
  defaults: { is_archived: '0' },
  sort: { column: 'spending_goal', descending: false },
  actions: GRADE_ACTIONS,
  open: (row) => `/loyalty-program/${row.id}`,
});
