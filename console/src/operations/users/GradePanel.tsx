// What a customer's grade gives them: its discount, where it counts, and its privileges.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Flag } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { percentOf } from '@/ui/fraction';

export function GradePanel({ user }: { user: Schemas['User'] }) {
  const { t } = useTranslation();
  const may = useMay();
  const id = user.grade?.id ?? 0;
  const { data: grade } = useQuery({
    queryKey: ['grades', 'one', id],
    queryFn: async () => (await told(api.GET('/api/v1/admin/grades/{id}', { params: { path: { id } } }))).data,
    enabled: id > 0 && may('view grades'),
  });
  if (!may('view grades')) return null;
  const off = percent(percentOf(grade?.discount_percent ?? '0'));
  const counts = user.grades_enabled && user.grade_discounts_enabled;
  const every = (days: number | null | undefined) => days && t('users.everyDays', { count: days });
  return (
    <Panel title={t('users.columns.grade')}>
      {user.grade ? (
        <Facts
          rows={[
            [t('users.columns.name'), <strong key="name">{user.grade.name}</strong>],
            [t('users.gradesCount'), <Flag key="on" on={user.grades_enabled} />],
            [t('users.gradeDiscount'), grade && (counts ? off : t('users.gradeDiscountOff', { percent: off }))],
            [t('users.thumbnails'), every(grade?.thumbnail_period)],
            [t('users.consultation'), every(grade?.consultation_chat_period)],
            [t('users.closedSales'), <Flag key="on" on={grade?.available_closed_sales ?? false} />],
            [t('users.ownManager'), <Flag key="on" on={grade?.available_personal_manager ?? false} />],
          ]}
        />
      ) : (
        <p className="none">{t('users.noGrade')}</p>
      )}
    </Panel>
  );
}
