// In the place of a form whose record, or whose choices, are not there: nothing while they are on their way, and what went
// wrong, with a way to try again, where they could not be read.
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';

interface Props {
  title: string;
  /** What the form waits for. */
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
