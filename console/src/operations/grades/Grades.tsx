// The list of grades of the loyalty program.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { GradeForm } from './GradeForm';
import { GRADE_LIST } from './gradeList';

export default function Grades() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <ServerTable
        list={GRADE_LIST}
        tools={
          hasPermission('manage grades') && (
            <Button variant="filled" icon="plus" label={t('grades.create')} onClick={() => setIsCreating(true)} />
          )
        }
      />
      {isCreating && (
        <GradeForm
          grade={null}
          onClose={() => setIsCreating(false)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['grades'] })}
        />
      )}
    </>
  );
}
