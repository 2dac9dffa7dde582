// The grades of the loyalty program.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '@/session/hooks';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { GRADES } from './declaration';
import { GradeForm } from './GradeForm';

export default function Grades() {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const [making, setMaking] = useState(false);
  return (
    <>
      <ServerTable
        list={GRADES}
        tools={
          may('manage grades') && (
            <Button look="filled" icon="plus" label={t('grades.create')} onClick={() => setMaking(true)} />
          )
        }
      />
      {making && (
        <GradeForm
          grade={null}
          onClose={() => setMaking(false)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['grades'] })}
        />
      )}
    </>
  );
}
