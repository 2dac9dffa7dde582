// Shows the outcome of a bulk run: the number of changed records, the refunds and charges, and the skipped records by reason. The
// user can copy, select or download the skipped records.
import { useTranslation } from 'react-i18next';
import { formatMoney, formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { formatCsv } from '@/ui/csv';
import { download } from '@/ui/download';
import type { BulkOutcome } from './action';
import { groupSkippedByReason } from './bulkRun';

interface Props {
  /** Also the i18n key of the texts of the action: `actions.<actionName>`. */
  actionName: string;
  outcome: BulkOutcome;
  onSelect?: (ids: readonly number[]) => void;
  onClose: () => void;
}

export function BulkOutcomeSummary({ actionName, outcome, onSelect, onClose }: Props) {
  const { t } = useTranslation();
  const { processed, skipped, totals } = outcome;
  return (
    <div className="outcome" role="status">
      <p>
        <strong>
          {t(`actions.${actionName as 'cancel'}.done`, { count: processed, formattedCount: formatNumber(processed) })}
        </strong>
        {totals.refunded !== '0' && ` ${t('run.refunded', { amount: formatMoney(totals.refunded) })}`}
        {(totals.charged ?? '0') !== '0' && ` ${t('run.charged', { amount: formatMoney(totals.charged ?? '0') })}`}
      </p>
      {groupSkippedByReason(outcome).map((reason) => (
        <p key={reason.message} className="outcome-reason">
          {t('run.skippedRecords', {
            count: reason.ids.length,
            formattedCount: formatNumber(reason.ids.length),
            reason: reason.message,
          })}
          <CopyButton text={reason.ids.join(', ')} label={t('run.copyIds')} />
        </p>
      ))}
      {skipped.length > 0 && (
        <p className="outcome-next">
          {onSelect && (
            <Button
              label={t('run.selectSkipped')}
              onClick={() => {
                onSelect(skipped.map(({ id }) => id));
                onClose();
              }}
            />
          )}
          <Button
            icon="download"
            label={t('run.downloadSkipped')}
            onClick={() => {
              const rows = skipped.map(({ id, code, message }) => [id, code, message]);
              download(formatCsv(['id', 'code', 'message'], rows), 'skipped.csv');
            }}
          />
        </p>
      )}
    </div>
  );
}
