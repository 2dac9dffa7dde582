// The frame of the page of one record. It shows that the record is loading, was not found or could not be loaded. After a failed
// refetch, the loaded record stays visible.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { asProblem } from '@/api/problem';
import { Notice, ProblemBar } from './Notice';

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** The link to the list of such records. */
  backLink: { href: string; text: string };
  children: (data: Data) => ReactNode;
}

export function RecordPage<Data>({ query, backLink, children }: Props<Data>) {
  const { t } = useTranslation();
  const problem = query.error ? asProblem(query.error) : null;
  const backLinkElement = (
    <Link className="back" href={backLink.href}>
      <i className="pi pi-arrow-left" aria-hidden /> {backLink.text}
    </Link>
  );
  if (problem?.status === 404) {
    return (
      <div className="record">
        {backLinkElement}
        <h1 tabIndex={-1}>{t('ui.notFound')}</h1>
        <Notice icon="search" title={problem.message} />
      </div>
    );
  }
  return (
    <div className="record">
      {backLinkElement}
      {problem && <ProblemBar problem={problem} onRetry={() => void query.refetch()} />}
      {query.data === undefined ? !problem && <p className="loading">{t('ui.loading')}</p> : children(query.data)}
    </div>
  );
}
