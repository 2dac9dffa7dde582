// The page of one record: loading, not found, failed or loaded. After a failed refetch the loaded data stays visible.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { Notice, ProblemBar } from './Notice';

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** Link back to the record's list. */
  list: { href: string; text: string };
  children: (data: Data) => ReactNode;
}

export function RecordPage<Data>({ query, list, children }: Props<Data>) {
  const { t } = useTranslation();
  const problem = query.error ? asProblem(query.error) : null;
  const back = (
    <Link className="back" href={list.href}>
      <i className="pi pi-arrow-left" aria-hidden /> {list.text}
    </Link>
  );
  if (problem?.status === 404) {
    return (
      <div className="record">
        {back}
        <h1 tabIndex={-1}>{t('ui.missing')}</h1>
        <Notice icon="search" title={problem.message} />
      </div>
    );
  }
  return (
    <div className="record">
      {back}
      {problem && <ProblemBar problem={problem} onRetry={() => void query.refetch()} />}
      {query.data === undefined ? !problem && <p className="loading">{t('ui.loading')}</p> : children(query.data)}
    </div>
  );
}
