// What an action would do, as the server tried it: the same transaction, rolled back.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { count, money } from '@/i18n/format';
import type { BulkOutcome } from './action';
import { reasons } from './run';

interface Props {
  ids: readonly number[];
  preview: BulkOutcome | null;
  trying: boolean;
  final: boolean;
  /** What else is known of it. */
  children?: ReactNode;
}

export function Preview({ ids, preview, trying, final, children }: Props) {
  const { t } = useTranslation();
  const skipped = preview ? reasons(preview) : [];
  const returned = preview?.totals.returned ?? '0';
  return (
    <div className="preview" aria-live="polite" aria-busy={trying}>
      {preview ? (
        <p>
          <strong>
            {t('run.would', { count: preview.processed, shown: count(preview.processed), of: count(ids.length) })}
          </strong>
          {returned !== '0' && ` ${t('run.returns', { amount: money(returned), count: preview.totals.users })}`}
        </p>
      ) : (
        <Untried trying={trying} isMany={ids.length > 1} />
      )}
      {skipped.length > 0 && (
        <ul>
          {skipped.slice(0, 5).map((reason) => (
            <li key={reason.message}>
              {t('run.skipped', { count: reason.ids.length, shown: count(reason.ids.length), reason: reason.message })}
            </li>
          ))}
        </ul>
      )}
      {children}
      {final && <p className="preview-final">{t('run.final')}</p>}
    </div>
  );
}

/** What is known without an answer: of many records some may be skipped; one is changed, or the dialog says why not. */
function Untried({ trying, isMany }: { trying: boolean; isMany: boolean }) {
  const { t } = useTranslation();
  if (trying) return <p>{t('run.trying')}</p>;
  return isMany && <p>{t('run.notTried')}</p>;
}
