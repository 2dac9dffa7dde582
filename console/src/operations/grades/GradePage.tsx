// The page of one grade: its benefits, spending goal, number of customers, and names in all languages.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, unwrap } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { LOCALES } from '@/i18n/locales';
import { useHasPermission } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { GradeForm } from './GradeForm';
import { GRADE_ACTIONS, GRADE_PATH, type Grade } from './gradeList';

/** Fetches a grade. Sends no request for staff who may not view grades. */
export function useGrade(id: number | undefined) {
  const hasPermission = useHasPermission();
  return useQuery({
    queryKey: ['grades', 'detail', id],
    queryFn: async () => (await unwrap(api.GET(GRADE_PATH, { params: { path: { id: id ?? 0 } } }))).data,
    enabled: Number.isSafeInteger(id) && hasPermission('view grades', 'manage grades'),
    retry: false,
  });
}

export default function GradePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useGrade(Number(params.id));
  return (
    <RecordPage query={query} backLink={{ href: '/loyalty-program', text: t('grades.title') }}>
      {(grade) => (
        <>
          <div className="record-head">
            {grade.icon && <img className="record-icon" src={grade.icon} alt="" />}
            <h1 tabIndex={-1}>{grade.name}</h1>
            <CopyButton text={String(grade.id)} />
            {grade.is_archived && <StatusTag status="archived" />}
          </div>
          <GradeActions grade={grade} />
          <div className="record-grid">
            <Benefits grade={grade} />
            <GoalAndCustomers grade={grade} />
            <GradeNames grade={grade} />
          </div>
        </>
      )}
    </RecordPage>
  );
}

function GradeActions({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['grades'] });
  return (
    <div className="record-actions">
      {grade.actions.editable && <Button icon="pencil" label={t('grades.edit')} onClick={() => setIsEditing(true)} />}
      <RecordActions row={grade} actions={GRADE_ACTIONS} onDone={refresh} />
      {isEditing && <GradeForm grade={grade} onClose={() => setIsEditing(false)} onSaved={refresh} />}
    </div>
  );
}

/** Returns the benefits of the grade, without the discount, as rows of a description list. */
export function useGradeBenefits(grade: Grade) {
  const { t } = useTranslation();
  const formatPeriod = (days: number | null | undefined) => (days ? t('grades.everyDays', { count: days }) : null);
  return [
    [t('grades.freeThumbnail'), formatPeriod(grade.thumbnail_period)],
    [t('grades.consultationChat'), formatPeriod(grade.consultation_chat_period)],
    [t('grades.available_closed_sales'), <BooleanText key="sales" value={grade.available_closed_sales} />],
    [t('grades.available_personal_manager'), <BooleanText key="manager" value={grade.available_personal_manager} />],
  ] as const;
}

function Benefits({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const benefits = useGradeBenefits(grade);
  const discount = formatPercent(fractionToPercent(grade.discount_fraction));
  return (
    <Card title={t('grades.benefits')}>
      <DescriptionList rows={[[t('grades.columns.discount'), discount], ...benefits]} />
    </Card>
  );
}

function GoalAndCustomers({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const customerCount = formatNumber(grade.users_count);
  return (
    <Card title={t('grades.customers')}>
      <DescriptionList
        rows={[
          [t('grades.columns.goal'), formatMoney(grade.spending_goal)],
          [
            t('grades.columns.users'),
            hasPermission('view users') && grade.users_count > 0 ? (
              <Link key="users" href={`/users?grade.id=${grade.id}`}>
                {customerCount}
              </Link>
            ) : (
              customerCount
            ),
          ],
          [t('grades.columns.createdAt'), <DateTime key="at" time={grade.created_at} />],
        ]}
      />
    </Card>
  );
}

function GradeNames({ grade }: { grade: Grade }) {
  const { t } = useTranslation();
  const languages = LOCALES.filter(({ code }) => grade.translations[code]);
  return (
    <Card title={t('grades.names')}>
      <DescriptionList rows={languages.map(({ code, name }) => [name, grade.translations[code]?.name] as const)} />
    </Card>
  );
}
