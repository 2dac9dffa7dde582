// Is rendered instead of a form while the record or the options of the form are not loaded. Shows nothing while the queries run,
// and a dialog with the error and a retry button if a query has failed.
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';

interface Props {
  title: string;
  /** The queries that the form needs. */
  queries: readonly Pick<UseQueryResult<unknown>, 'data' | 'error' | 'refetch'>[];
  onClose: () => void;
}

export function LoadErrorDialog({ title, queries, onClose }: Props) {
  const { t } = useTranslation();
  const failedQueries = queries.filter(({ data, error }) => error && data === undefined);
  const [firstFailedQuery] = failedQueries;
  if (!firstFailedQuery) return null;
  const retry = () => {
    for (const { refetch } of failedQueries) void refetch();
  };
  return (
    <Dialog title={title} onClose={onClose} footer={<CloseButton label={t('ui.close')} />}>
      <ProblemBar problem={asProblem(firstFailedQuery.error)} onRetry={retry} />
    </Dialog>
  );
}
