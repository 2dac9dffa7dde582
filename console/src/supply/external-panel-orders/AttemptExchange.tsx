// Shows the last request of a placement attempt and the response of the external panel, both without changes.
import { useTranslation } from 'react-i18next';

interface Props {
  attempt: {
    last_error?: string | null;
    last_request?: string | null;
    last_response?: string | null;
    /** Parameters of the order that the request does not contain, because the external panel does not accept them. */
    not_forwarded?: string[];
  };
  /** Always shows the texts, instead of in a collapsed `<details>` element. */
  isExpanded?: true;
}

export function AttemptExchange({ attempt, isExpanded }: Props) {
  const { t } = useTranslation();
  const sections = [
    [t('externalPanelOrders.columns.error'), attempt.last_error],
    [t('externalPanelOrders.lastRequest'), attempt.last_request],
    [t('externalPanelOrders.notForwarded'), attempt.not_forwarded?.join(', ')],
    [t('externalPanelOrders.lastResponse'), attempt.last_response],
  ].filter(([, text]) => text);
  const renderedSections = sections.map(([title, text]) => (
    <section key={title} aria-label={title ?? ''}>
      <h4>{title}</h4>
      <pre className="code code-wraps">{text}</pre>
    </section>
  ));
  if (sections.length === 0) return isExpanded ? <p className="none">{t('externalPanelOrders.nothingSent')}</p> : null;
  if (isExpanded) return renderedSections;
  return (
    <details>
      <summary>{t('externalPanelOrders.requestAndResponse')}</summary>
      {renderedSections}
    </details>
  );
}
