// The last request of a placement attempt and the panel's response, as they were sent and received.
import { useTranslation } from 'react-i18next';

interface Props {
  attempt: {
    last_error?: string | null;
    last_request?: string | null;
    last_answer?: string | null;
    /** Parameters of the order that were not sent, because the panel does not accept them. */
    not_forwarded?: string[];
  };
  /** Shows the texts directly instead of in a collapsed `<details>` element. */
  isExpanded?: true;
}

export function AttemptExchange({ attempt, isExpanded }: Props) {
  const { t } = useTranslation();
  const sections = [
    [t('attempts.columns.error'), attempt.last_error],
    [t('attempts.lastRequest'), attempt.last_request],
    [t('attempts.notForwarded'), attempt.not_forwarded?.join(', ')],
    [t('attempts.lastResponse'), attempt.last_answer],
  ].filter(([, text]) => text);
  const renderedSections = sections.map(([title, text]) => (
    <section key={title} aria-label={title ?? ''}>
      <h4>{title}</h4>
      <pre className="code code-wraps">{text}</pre>
    </section>
  ));
  if (sections.length === 0) return isExpanded ? <p className="none">{t('attempts.nothingSent')}</p> : null;
  if (isExpanded) return renderedSections;
  return (
    <details>
      <summary>{t('attempts.requestAndResponse')}</summary>
      {renderedSections}
    </details>
  );
}
