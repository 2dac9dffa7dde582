// The loyalty grade of a customer, whether grades and grade discounts are enabled for the customer, and the benefits of the grade.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { checkboxCodec, idCodec } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { formatPercent } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { DescriptionList } from '@/ui/DescriptionList';
import { useGrade, useGradeBenefits } from '../grades/GradePage';
import { fetchUser } from './forms';

type User = Schemas['User'];
type Grade = Schemas['Grade'];

export function Loyalty({ user }: { user: User }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const { data: grade } = useGrade(user.grade?.id);
  const [isEditing, setIsEditing] = useState(false);
  const changeButton = user.actions.gradable && (
    <Button icon="star" label={t('users.setGrade')} onClick={() => setIsEditing(true)} />
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
    <Card title={t('menu.grades')} headerActions={changeButton}>
      <DescriptionList
        rows={[
          ...(hasPermission('view grades') ? [[t('users.columns.grade'), gradeName] as const] : []),
          [t('users.gradeIsManual'), <BooleanText key="on" value={user.grade_is_manual ?? false} />],
          [t('users.gradesEnabled'), <BooleanText key="on" value={user.grades_enabled} />],
          [t('users.gradeDiscountEnabled'), <BooleanText key="on" value={user.grade_discounts_enabled} />],
        ]}
      />
      {grade && <GradeBenefits user={user} grade={grade} />}
      {isEditing && <GradeForm user={user} onClose={() => setIsEditing(false)} />}
    </Card>
  );
}

/**
 * The benefits of the grade. If `grades_enabled` of the customer is false, the customer has none of them; if
 * `grade_discounts_enabled` is false, the customer has all of them except the discount.
 */
function GradeBenefits({ user, grade }: { user: User; grade: Grade }) {
  const { t } = useTranslation();
  const benefits = useGradeBenefits(grade);
  const discount = formatPercent(fractionToPercent(grade.discount_fraction));
  if (!user.grades_enabled) return <p className="none">{t('users.gradesDisabled', { name: grade.name })}</p>;
  return (
    <DescriptionList
      rows={[
        [
          t('users.gradeDiscount'),
          user.grade_discounts_enabled ? discount : t('users.gradeDiscountDisabled', { discount }),
        ],
        ...benefits,
      ]}
    />
  );
}

/** Returns the grades that are not archived, sorted by the amount that a customer must spend to reach them. */
export function useGrades(isEnabled: boolean): readonly Schemas['AvailableGrade'][] {
  const { data } = useQuery({
    queryKey: ['grades', 'available'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/grades/available'))).data,
    enabled: isEnabled,
  });
  return data ?? [];
}

const USER_GRADE_FORM = defineForm<Schemas['UserGradeInput']>()({
  grade_id: idCodec,
  grade_is_manual: checkboxCodec,
  grades_enabled: checkboxCodec,
  grade_discounts_enabled: checkboxCodec,
});

const toFormValues = (user: User) => USER_GRADE_FORM.toValues({ ...user, grade_id: user.grade?.id ?? null });

function GradeForm({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const canViewGrades = useHasPermission()('view grades');
  const grades = useGrades(true);
  // An archived grade is not in `grades`, but the customer keeps it until a staff member selects another grade.
  const archivedGrades = user.grade && !grades.some((grade) => grade.id === user.grade?.id) ? [user.grade] : [];
  return (
    <FormDialog
      title={t('users.setGrade')}
      confirmLabel={t('ui.save')}
      fields={[
        {
          name: 'grade_id',
          label: t('users.columns.grade'),
          options: [
            { value: '', label: t(canViewGrades ? 'users.noGrade' : 'users.hiddenGrade') },
            ...(canViewGrades ? [] : [{ value: 'none', label: t('users.noGrade') }]),
            ...archivedGrades.map((grade) => ({ value: String(grade.id), label: grade.name })),
            ...grades.map((grade) => ({
              value: String(grade.id),
              label: `${grade.name} · ${formatPercent(fractionToPercent(grade.discount_fraction))}`,
            })),
          ],
        },
        {
          name: 'grade_is_manual',
          label: t('users.gradeIsManual'),
          hint: t('users.gradeIsManualHint'),
        },
        { name: 'grades_enabled', label: t('users.gradesEnabled') },
        { name: 'grade_discounts_enabled', label: t('users.gradeDiscountEnabled') },
      ]}
      initialValues={toFormValues(user)}
      reload={async () => toFormValues(await fetchUser(user.id))}
      spec={USER_GRADE_FORM}
      // Sends only changed fields, because the form of staff who may not view grades has an empty grade, which would remove the
      // grade. The server sets `grade_is_manual` for a new grade, unless the request contains `grade_is_manual`.
      send={({ values, base }) => {
        const body = USER_GRADE_FORM.toPatch(values, base);
        return unwrap(api.POST('/api/v1/admin/users/{id}/change-grade', { params: { path: { id: user.id } }, body }));
      }}
      invalidatedQueries={[['users'], ['grades']]}
      onClose={onClose}
    />
  );
}
