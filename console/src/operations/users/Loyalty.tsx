// A customer's grade: which one, whether it counts for them, and what they have of it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { FormDialog } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';
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
    queryFn: async () => (await told(api.GET('/api/v1/admin/grades/available'))).data,
    enabled,
  });
  return data ?? [];
}

const gradeOf = (user: User) => ({
  updated_at: user.updated_at,
  grade_id: user.grade ? String(user.grade.id) : '',
  grade_is_manual: user.grade_is_manual ? 'yes' : '',
  grades_enabled: user.grades_enabled ? 'yes' : '',
  grade_discounts_enabled: user.grade_discounts_enabled ? 'yes' : '',
});

function GradeOfUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const mayRead = useMay()('view grades');
  const queries = useQueryClient();
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
          mode: 'tick',
          hint: t('users.gradeIsManualHint'),
        },
        { name: 'grades_enabled', label: t('users.gradesCount'), mode: 'tick' },
        { name: 'grade_discounts_enabled', label: t('users.gradeDiscountCounts'), mode: 'tick' },
      ]}
      initial={gradeOf(user)}
      reload={async () => gradeOf(await readUser(user.id))}
      onClose={onClose}
      onSave={async (values, was) => {
        // Only what was changed: a grade that one may not see would else be taken away.
        const tick = (name: 'grade_is_manual' | 'grades_enabled' | 'grade_discounts_enabled') =>
          values[name] !== was[name] && { [name]: values[name] === 'yes' };
        const body = {
          updated_at: was.updated_at ?? null,
          ...(values.grade_id !== was.grade_id && { grade_id: Number(values.grade_id) || null }),
          // Another grade counts as set by hand unless the tick says something else.
          ...tick('grade_is_manual'),
          ...tick('grades_enabled'),
          ...tick('grade_discounts_enabled'),
        } as Schemas['UserGradeInput'];
        await told(api.POST('/api/v1/admin/users/{id}/change-grade', { params: { path: { id: user.id } }, body }));
        void queries.invalidateQueries({ queryKey: ['users'] });
        void queries.invalidateQueries({ queryKey: ['grades'] });
      }}
    />
  );
}
