// The list of grades and what can be done with one, as data.
import type { Schemas } from '@/api/client';
import { count, percent } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { percentOf } from '@/ui/fraction';

export type Grade = Schemas['Grade'];

export const PATH = '/api/v1/admin/grades/{id}';

const away = (name: 'archiveGrade' | 'unarchiveGrade'): Action<Grade> => ({
  name,
  icon: name === 'archiveGrade' ? 'inbox' : 'replay',
  allows: (row) => (name === 'archiveGrade' ? row.actions.archivable : row.actions.unarchivable),
  ...eachOf('POST', name === 'archiveGrade' ? `${PATH}/archive` : `${PATH}/unarchive`),
});

export const GRADE_ACTIONS: readonly Action<Grade>[] = [away('archiveGrade'), away('unarchiveGrade')];

const c = columnsOf<Grade>('grades');
const COLUMNS: readonly Column<Grade>[] = [
  c.id(80, (row) => `/loyalty-program/${row.id}`),
  {
    name: 'name',
    label: 'grades.columns.name',
    width: 190,
    filter: { kind: 'text' },
    cell: (row) => (
      <span className="with-icon">
        {row.icon && <img src={row.icon} alt="" />}
        {row.name}
      </span>
    ),
  },
  {
    name: 'discount_percent',
    label: 'grades.columns.discount',
    width: 100,
    align: 'end',
    filter: { kind: 'share' },
    cell: (row) => percent(percentOf(row.discount_percent)),
  },
  c.money('spending_goal', 'goal', 130),
  c.number('users_count', 'users', 110),
  c.number('thumbnail_period', 'thumbnails', 130),
  c.number('consultation_chat_period', 'chats', 130),
  c.flag('available_closed_sales', 'closedSales', 120),
  c.flag('available_personal_manager', 'manager', 120),
  {
    name: 'translations',
    label: 'grades.columns.languages',
    width: 110,
    align: 'end',
    sortable: false,
    cell: (row) => count(Object.keys(row.translations).length),
  },
  c.flag('is_archived', 'archived', 100),
  c.time('created_at', 'createdAt', { hidden: true }),
];

export const GRADES: List<Grade> = {
  name: 'grades',
  title: 'grades.title',
  path: '/api/v1/admin/grades',
  columns: COLUMNS,
  defaults: { is_archived: '0' },
  sort: { column: 'spending_goal', descending: false },
  actions: GRADE_ACTIONS,
  open: (row) => `/loyalty-program/${row.id}`,
};
