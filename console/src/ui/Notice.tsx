// The notice that a screen shows instead of rows or a record (empty, not found, forbidden, failed), and the error bar.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Problem } from '@/api/problem';
import { Button } from './Button';
import { CopyButton } from './Copy';

export function Notice({
  icon,
  title,
  text,
  children,
}: {
  icon: string;
  title: string;
  text?: string;
  children?: ReactNode;
}) {
  return (
    <div className="notice">
      <i className={`pi pi-${icon}`} aria-hidden />
      <strong>{title}</strong>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}

/** Shows an error in one line: the server's message, and the request id that support staff need to find the error. */
export function ProblemBar({
  problem,
  onRetry,
  children,
}: {
  problem: Problem;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <div className="problem-bar" role="alert">
      <i className="pi pi-exclamation-triangle" aria-hidden />
      <span>{problem.message}</span>
      {problem.requestId && (
        <small>
          {t('ui.requestId', { id: problem.requestId })}
          <CopyButton text={problem.requestId} />
        </small>
      )}
      {onRetry && <Button label={t('ui.retry')} icon="refresh" onClick={onRetry} />}
      {children}
    </div>
  );
}
