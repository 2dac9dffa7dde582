// The outcome of a bulk run: the number of changed records, the refunds and charges, and the skipped records by reason. The user
// can copy, select or download the skipped records.
import { useTranslation } from 'react-i18next';
import { formatMoney, formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { formatCsv } from '@/ui/csv';
import { download } from '@/ui/download';
import type { BulkOutcome } from './action';
import { skipReasons } from './run';

interface Props {
  /** The texts of the action are under the i18n key `actions.<actionName>`. */
  actionName: string;
  outcome: BulkOutcome;
  onSelect?: (ids: readonly number[]) => void;
  onClose: () => void;
}

export function Outcome({ actionName, outcome, onSelect, onClose }: Props) {
  const { t } = useTranslation();
  const { processed, skipped, totals } = outcome;
  return (
    <div className="outcome" role="status">
      <p>
        <strong>
          {t(`actions.${actionName as 'cancel'}.done`, { count: processed, shown: formatNumber(processed) })}
        </strong>
        {totals.returned !== '0' && ` ${t('run.returned', { amount: formatMoney(totals.returned) })}`}
        {(totals.charged ?? '0') !== '0' && ` ${t('run.charged', { amount: formatMoney(totals.charged ?? '0') })}`}
      </p>
      {skipReasons(outcome).map((reason) => (
        <p key={reason.message} className="outcome-reason">
          {t('run.skipped', {
            count: reason.ids.length,
            shown: formatNumber(reason.ids.length),
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
                onSelect(skipped.map((skip) => skip.id));
                onClose();
              }}
            />
          )}
          <Button
            icon="download"
            label={t('run.csv')}
            onClick={() => {
              const lines = skipped.map((skip) => [skip.id, skip.code, skip.message]);
              download(formatCsv(['id', 'code', 'message'], lines), 'skipped.csv');
            }}
          />
        </p>
      )}
    </div>
  );
}
