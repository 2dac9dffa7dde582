// Replaces a form whose record or options are not loaded: nothing while the queries run, and the error with a retry button when
// one of them has failed.
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

export function NotLoaded({ title, queries, onClose }: Props) {
  const { t } = useTranslation();
  const failed = queries.filter(({ data, error }) => error && data === undefined);
  const [first] = failed;
  if (!first) return null;
  const retry = () => {
    for (const { refetch } of failed) void refetch();
  };
  return (
    <Dialog title={title} onClose={onClose} footer={<CloseButton label={t('ui.close')} />}>
      <ProblemBar problem={asProblem(first.error)} onRetry={retry} />
    </Dialog>
  );
}
