// Replaces a form while its record or options are not loaded: renders nothing while the queries run, and a dialog with the error
// and a retry button if a query has failed.
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
  const [firstFailed] = failedQueries;
  if (!firstFailed) return null;
  const retry = () => {
    for (const { refetch } of failedQueries) void refetch();
  };
  return (
    <Dialog title={title} onClose={onClose} footer={<CloseButton label={t('ui.close')} />}>
      <ProblemBar problem={asProblem(firstFailed.error)} onRetry={retry} />
    </Dialog>
  );
}
