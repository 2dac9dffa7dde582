// One grade: what reaches it, what it gives, its names, and who has it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, unwrap } from '@/api/client';
import { percentOf } from '@/form/decimal';
import { count, money, percent } from '@/i18n/format';
import { LOCALES } from '@/i18n/locales';
import { useMay } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Flag } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { GRADE_ACTIONS, type Grade, PATH } from './declaration';
import { GradeForm } from './GradeForm';

/** A grade; who may not see grades gets none. */
export function useGrade(id: number | undefined) {
  const may = useMay();
  return useQuery({
    queryKey: ['grades', 'one', id],
    queryFn: async () => (await unwrap(api.GET(PATH, { params: { path: { id: id ?? 0 } } }))).data,
    enabled: Number.isSafeInteger(id) && may('view grades', 'manage grades'),
    retry: false,
  });
}

export default function GradePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useGrade(Number(params.id));
  return (
    <RecordPage query={query} list={{ href: '/loyalty-program', text: t('grades.title') }}>
      {(grade) => (
        <>
          <div className="record-head">
            {grade.icon && <img className="record-icon" src={grade.icon} alt="" />}
            <h1 tabIndex={-1}>{grade.name}</h1>
            <CopyButton text={String(grade.id)} />
            {grade.is_archived && <StatusTag status="archived" />}
          </div>
          <Buttons grade={grade} />
          <div className="record-grid">
            <Gives grade={grade} />
            <Reached grade={grade} />
            <Names grade={grade} />
          </div>
        </>
      )}
    </RecordPage>
  );
}

function Buttons({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const changed = () => void queries.invalidateQueries({ queryKey: ['grades'] });
  return (
    <div className="record-actions">
      {grade.actions.editable && <Button icon="pencil" label={t('grades.edit')} onClick={() => setEditing(true)} />}
      <RecordActions row={grade} actions={GRADE_ACTIONS} onDone={changed} />
      {editing && <GradeForm grade={grade} onClose={() => setEditing(false)} onSaved={changed} />}
    </div>
  );
}

/** What customers with this grade have of it. */
export function useGifts(grade: Grade) {
  const { t } = useTranslation();
  const every = (days: number | null | undefined) => (days ? t('grades.every', { count: days }) : null);
  return [
    [t('grades.thumbnails'), every(grade.thumbnail_period)],
    [t('grades.chats'), every(grade.consultation_chat_period)],
    [t('grades.available_closed_sales'), <Flag key="sales" on={grade.available_closed_sales} />],
    [t('grades.available_personal_manager'), <Flag key="manager" on={grade.available_personal_manager} />],
  ] as const;
}

function Gives({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const gifts = useGifts(grade);
  return (
    <Panel title={t('grades.gives')}>
      <Facts rows={[[t('grades.columns.discount'), percent(percentOf(grade.discount_percent))], ...gifts]} />
    </Panel>
  );
}

function Reached({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const may = useMay();
  const users = count(grade.users_count);
  return (
    <Panel title={t('grades.reached')}>
      <Facts
        rows={[
          [t('grades.columns.goal'), money(grade.spending_goal)],
          [
            t('grades.columns.users'),
            may('view users') && grade.users_count > 0 ? (
              <Link key="users" href={`/users?grade.id=${grade.id}`}>
                {users}
              </Link>
            ) : (
              users
            ),
          ],
          [t('grades.columns.createdAt'), <When key="at" at={grade.created_at} />],
        ]}
      />
    </Panel>
  );
}

function Names({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const written = LOCALES.filter(({ code }) => grade.translations[code]);
  return (
    <Panel title={t('grades.names')}>
      <Facts rows={written.map(({ code, name }) => [name, grade.translations[code]?.name] as const)} />
    </Panel>
  );
}
