// Another grade for a customer, and what of it counts for them.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { money, percent } from '@/i18n/format';
import { FormDialog } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';

interface Props {
  user: Schemas['User'];
  onClose: () => void;
  onChanged: () => void;
}

/** Grades that customers can have, the cheapest to reach first. */
export function useGrades(enabled = true): readonly Schemas['AvailableGrade'][] {
  const { data } = useQuery({
    queryKey: ['grades', 'available'],
    enabled,
    queryFn: async () => (await told(api.GET('/api/v1/admin/grades/available'))).data,
  });
  return data ?? [];
}

export function GradeForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const grades = useGrades();
  const shown = (grade: Schemas['AvailableGrade']) =>
    [
      grade.name,
      percent(percentOf(grade.discount_percent)),
      t('users.gradeFrom', { amount: money(grade.spending_goal) }),
    ].join(' · ');
  return (
    <FormDialog
      title={t('users.setGrade')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'grade_id',
          label: t('users.columns.grade'),
          options: [
            { value: '', label: t('users.noStep') },
            ...grades.map((grade) => ({ value: String(grade.id), label: shown(grade) })),
          ],
        },
        { name: 'grades_enabled', label: t('users.gradesCount'), mode: 'tick' },
        { name: 'grade_discounts_enabled', label: t('users.gradeDiscountCounts'), mode: 'tick' },
      ]}
      initial={{
        grade_id: user.grade ? String(user.grade.id) : '',
        grades_enabled: user.grades_enabled ? 'yes' : '',
        grade_discounts_enabled: user.grade_discounts_enabled ? 'yes' : '',
      }}
      onClose={onClose}
      onSave={async (values) => {
        const body = {
          grade_id: Number(values.grade_id) || null,
          grades_enabled: values.grades_enabled === 'yes',
          grade_discounts_enabled: values.grade_discounts_enabled === 'yes',
        };
        await told(api.POST('/api/v1/admin/users/{id}/change-grade', { params: { path: { id: user.id } }, body }));
        onChanged();
      }}
    />
  );
}
