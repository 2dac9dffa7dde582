// What was last sent to a panel and what it answered, word for word; behind a disclosure where it is not the point.
import { useTranslation } from 'react-i18next';

interface Props {
  attempt: {
    last_error?: string | null;
    last_request?: string | null;
    last_answer?: string | null;
    /** Names of answers that were not sent. */
    not_forwarded?: string[];
  };
  open?: true;
}

export function Said({ attempt, open }: Props) {
  const { t } = useTranslation();
  const said = [
    [t('attempts.columns.error'), attempt.last_error],
    [t('attempts.request'), attempt.last_request],
    [t('attempts.notForwarded'), attempt.not_forwarded?.join(', ')],
    [t('attempts.answer'), attempt.last_answer],
  ].filter(([, text]) => text);
  const texts = said.map(([name, text]) => (
    <section key={name} aria-label={name ?? ''}>
      <h4>{name}</h4>
      <pre className="code code-wraps">{text}</pre>
    </section>
  ));
  if (open) return texts.length === 0 ? <p className="none">{t('attempts.nothingSaid')}</p> : texts;
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>{t('attempts.said')}</summary>
      {texts}
    </details>
  );
}
