// Defines the list of grades and the actions on a grade.
import type { Schemas } from '@/api/client';
import { grades } from '@/api/lists/grades';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';

export type Grade = Schemas['Grade'];

export const GRADE_PATH = '/api/v1/admin/grades/{id}';

export const GRADE_ACTIONS: readonly Action<Grade>[] = [
  {
    name: 'archiveGrade',
    icon: 'inbox',
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', `${GRADE_PATH}/archive`),
  },
  {
    name: 'unarchiveGrade',
    icon: 'replay',
    isAllowedFor: (row) => row.actions.unarchivable,
    ...createPerRecordRequests('POST', `${GRADE_PATH}/unarchive`),
  },
];

export const GRADE_LIST: List<Grade> = defineList(grades, {
  title: 'grades.title',
  columns: {
    id: { linkTo: (row) => `/loyalty-program/${row.id}` },
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
  defaultFilters: { is_archived: '0' },
  sort: { column: 'spending_goal', descending: false },
  actions: GRADE_ACTIONS,
  getRecordUrl: (row) => `/loyalty-program/${row.id}`,
});
