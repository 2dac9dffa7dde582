// A customer's grade: which one, whether it counts for them, and what they have of it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { id, tick } from '@/form/codecs';
import { percentOf } from '@/form/decimal';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { useGifts, useGrade } from '../grades/GradePage';
import { readUser } from './forms';

type User = Schemas['User'];
type Grade = Schemas['Grade'];

export function Loyalty({ user }: { user: User }) {
  const { t } = useTranslation();
  const may = useMay();
  const { data: grade } = useGrade(user.grade?.id);
  const [changing, setChanging] = useState(false);
  const change = user.actions.gradable && (
    <Button icon="star" label={t('users.setGrade')} onClick={() => setChanging(true)} />
  );
  const own =
    user.grade && grade ? (
      <Link key="grade" href={`/loyalty-program/${user.grade.id}`}>
        {user.grade.name}
      </Link>
    ) : (
      user.grade?.name
    );
  return (
    <Panel title={t('menu.grades')} aside={change}>
      <Facts
        rows={[
          ...(may('view grades') ? [[t('users.columns.grade'), own] as const] : []),
          [t('users.gradeIsManual'), <Flag key="on" on={user.grade_is_manual ?? false} />],
          [t('users.gradesCount'), <Flag key="on" on={user.grades_enabled} />],
          [t('users.gradeDiscountCounts'), <Flag key="on" on={user.grade_discounts_enabled} />],
        ]}
      />
      {grade && <Reaching user={user} grade={grade} />}
      {changing && <GradeOfUser user={user} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

/** What of the grade reaches this customer, by the two switches. */
function Reaching({ user, grade }: { user: User; grade: Grade }) {
  const { t } = useTranslation();
  const gifts = useGifts(grade);
  const discount = percent(percentOf(grade.discount_percent));
  if (!user.grades_enabled) return <p className="none">{t('users.gradeOff', { name: grade.name })}</p>;
  return (
    <Facts
      rows={[
        [t('users.gradeDiscount'), user.grade_discounts_enabled ? discount : t('users.gradeDiscountOff', { discount })],
        ...gifts,
      ]}
    />
  );
}

/** Grades that customers can have, the cheapest to reach first. */
export function useGrades(enabled: boolean): readonly Schemas['AvailableGrade'][] {
  const { data } = useQuery({
    queryKey: ['grades', 'available'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/grades/available'))).data,
    enabled,
  });
  return data ?? [];
}

const GRADE_OF_USER = formOf<Schemas['UserGradeInput']>()({
  grade_id: id,
  grade_is_manual: tick,
  grades_enabled: tick,
  grade_discounts_enabled: tick,
});

const gradeOf = (user: User) => GRADE_OF_USER.valuesOf({ ...user, grade_id: user.grade?.id ?? null });

function GradeOfUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const mayRead = useMay()('view grades');
  const grades = useGrades(true);
  // An archived one stays theirs until another is chosen.
  const own = user.grade && !grades.some((grade) => grade.id === user.grade?.id) ? [user.grade] : [];
  return (
    <FormDialog
      title={t('users.setGrade')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'grade_id',
          label: t('users.columns.grade'),
          options: [
            { value: '', label: t(mayRead ? 'users.noGrade' : 'users.hiddenGrade') },
            ...(mayRead ? [] : [{ value: 'none', label: t('users.noGrade') }]),
            ...own.map((grade) => ({ value: String(grade.id), label: grade.name })),
            ...grades.map((grade) => ({
              value: String(grade.id),
              label: `${grade.name} · ${percent(percentOf(grade.discount_percent))}`,
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
      initial={gradeOf(user)}
      reload={async () => gradeOf(await readUser(user.id))}
      spec={GRADE_OF_USER}
      // Only what was changed: a grade that one may not see would else be taken away. Another grade counts as set by hand
      // unless the tick says something else.
      send={({ values, base }) => {
        const body = GRADE_OF_USER.changesOf(values, base);
        return unwrap(api.POST('/api/v1/admin/users/{id}/change-grade', { params: { path: { id: user.id } }, body }));
      }}
      invalidates={[['users'], ['grades']]}
      onClose={onClose}
    />
  );
}
