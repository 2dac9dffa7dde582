// The loyalty grade of a customer, the two switches that enable it, and its benefits.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { checkbox, id } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card, DescriptionList } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { useGrade, useGradeBenefits } from '../grades/GradePage';
import { readUser } from './forms';

type User = Schemas['User'];
type Grade = Schemas['Grade'];

export function Loyalty({ user }: { user: User }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const { data: grade } = useGrade(user.grade?.id);
  const [changing, setChanging] = useState(false);
  const change = user.actions.gradable && (
    <Button icon="star" label={t('users.setGrade')} onClick={() => setChanging(true)} />
  );
  const gradeName =
    user.grade && grade ? (
      <Link key="grade" href={`/loyalty-program/${user.grade.id}`}>
        {user.grade.name}
      </Link>
    ) : (
      user.grade?.name
    );
  return (
    <Card title={t('menu.grades')} aside={change}>
      <DescriptionList
        rows={[
          ...(hasPermission('view grades') ? [[t('users.columns.grade'), gradeName] as const] : []),
          [t('users.gradeIsManual'), <Flag key="on" on={user.grade_is_manual ?? false} />],
          [t('users.gradesCount'), <Flag key="on" on={user.grades_enabled} />],
          [t('users.gradeDiscountCounts'), <Flag key="on" on={user.grade_discounts_enabled} />],
        ]}
      />
      {grade && <GradeBenefits user={user} grade={grade} />}
      {changing && <GradeForm user={user} onClose={() => setChanging(false)} />}
    </Card>
  );
}

/** The benefits that the customer has from the grade. `grades_enabled` and `grade_discounts_enabled` can turn them off. */
function GradeBenefits({ user, grade }: { user: User; grade: Grade }) {
  const { t } = useTranslation();
  const benefits = useGradeBenefits(grade);
  const discount = formatPercent(fractionToPercent(grade.discount_percent));
  if (!user.grades_enabled) return <p className="none">{t('users.gradeOff', { name: grade.name })}</p>;
  return (
    <DescriptionList
      rows={[
        [t('users.gradeDiscount'), user.grade_discounts_enabled ? discount : t('users.gradeDiscountOff', { discount })],
        ...benefits,
      ]}
    />
  );
}

/** The grades that are not archived, sorted by the amount that a customer must spend to reach them. */
export function useGrades(enabled: boolean): readonly Schemas['AvailableGrade'][] {
  const { data } = useQuery({
    queryKey: ['grades', 'available'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/grades/available'))).data,
    enabled,
  });
  return data ?? [];
}

const USER_GRADE = defineForm<Schemas['UserGradeInput']>()({
  grade_id: id,
  grade_is_manual: checkbox,
  grades_enabled: checkbox,
  grade_discounts_enabled: checkbox,
});

const valuesOf = (user: User) => USER_GRADE.toValues({ ...user, grade_id: user.grade?.id ?? null });

function GradeForm({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const canView = useHasPermission()('view grades');
  const grades = useGrades(true);
  // An archived grade is not in `grades`, but the customer keeps it until a staff member selects another one.
  const archived = user.grade && !grades.some((grade) => grade.id === user.grade?.id) ? [user.grade] : [];
  return (
    <FormDialog
      title={t('users.setGrade')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'grade_id',
          label: t('users.columns.grade'),
          options: [
            { value: '', label: t(canView ? 'users.noGrade' : 'users.hiddenGrade') },
            ...(canView ? [] : [{ value: 'none', label: t('users.noGrade') }]),
            ...archived.map((grade) => ({ value: String(grade.id), label: grade.name })),
            ...grades.map((grade) => ({
              value: String(grade.id),
              label: `${grade.name} · ${formatPercent(fractionToPercent(grade.discount_percent))}`,
            })),
          ],
        },
        {
          name: 'grade_is_manual',
          label: t('users.gradeIsManual'),
          hint: t('users.gradeIsManualHint'),
        },
        { name: 'grades_enabled', label: t('users.gradesCount') },
        { name: 'grade_discounts_enabled', label: t('users.gradeDiscountCounts') },
      ]}
      initial={valuesOf(user)}
      reload={async () => valuesOf(await readUser(user.id))}
      spec={USER_GRADE}
      // Sends only changed fields. The form of a staff member who may not view grades lacks the grade and would remove it.
      // The server marks a new grade as set manually, unless the request has another value of `grade_is_manual`.
      send={({ values, base }) => {
        const body = USER_GRADE.toPatch(values, base);
        return unwrap(api.POST('/api/v1/admin/users/{id}/change-grade', { params: { path: { id: user.id } }, body }));
      }}
      invalidates={[['users'], ['grades']]}
      onClose={onClose}
    />
  );
}
