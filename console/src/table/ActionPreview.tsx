// Shows the effect of an action before the action runs. The server computes the effect in a dry run: it makes the changes in a
// transaction, and then rolls the transaction back.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import type { BulkOutcome } from './action';
import { groupSkippedByReason } from './bulkRun';

interface Props {
  /** Also the i18n key of the texts of the action: `actions.<actionName>`. */
  actionName: string;
  ids: readonly number[];
  preview: BulkOutcome | null;
  isPreviewing: boolean;
  isIrreversible: boolean;
  children?: ReactNode;
}

export function ActionPreview({ actionName, ids, preview, isPreviewing, isIrreversible, children }: Props) {
  const { t } = useTranslation();
  const skipReasons = preview ? groupSkippedByReason(preview) : [];
  const chargedAmount = preview?.totals.charged ?? '0';
  return (
    <div className="preview" aria-live="polite" aria-busy={isPreviewing}>
      {preview ? (
        <p>
          <strong>
            {t(
              preview.isUpperBound && chargedAmount !== '0'
                ? 'run.maxChangedRecords'
                : `actions.${actionName as 'cancel'}.preview`,
              {
                count: preview.processed,
                formattedCount: formatNumber(preview.processed),
                total: formatNumber(ids.length),
              },
            )}
          </strong>
          <AffectedRecords outcome={preview} />
          <RefundsAndCharges outcome={preview} />
        </p>
      ) : (
        <NoPreview isPreviewing={isPreviewing} isMany={ids.length > 1} />
      )}
      {preview?.costs && <ProviderCosts costs={preview.costs} />}
      {skipReasons.length > 0 && (
        <ul>
          {skipReasons.slice(0, 5).map((reason) => (
            <li key={reason.message}>
              {t('run.skippedRecords', {
                count: reason.ids.length,
                formattedCount: formatNumber(reason.ids.length),
                reason: reason.message,
              })}
            </li>
          ))}
        </ul>
      )}
      {children}
      {isIrreversible && <p className="preview-final">{t('run.cannotBeUndone')}</p>}
    </div>
  );
}

/** Shows how many services and customers the action affects. Hidden for one order, because its row shows the service and customer. */
function AffectedRecords({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { services = 0, customers = 0 } = outcome.totals;
  if (outcome.processed < 2 || customers === 0) return null;
  return ` ${t('run.affectedRecords', { services: formatNumber(services), customers: formatNumber(customers) })}`;
}

/**
 * Shows refunds and charges. If the server previewed several chunks separately, the sum of the charges is an upper bound: each preview
 * is rolled back, so a later preview does not see that an earlier chunk has used up a balance.
 */
function RefundsAndCharges({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { refunded, charged = '0', users } = outcome.totals;
  return (
    <>
      {refunded !== '0' && ` ${t('run.willBeRefunded', { amount: formatMoney(refunded), count: users })}`}
      {charged !== '0' &&
        ` ${t(outcome.isUpperBound ? 'run.maxCharge' : 'run.willBeCharged', { amount: formatMoney(charged) })}`}
    </>
  );
}

/** Shown if there is no preview, because it is still loading or because the form is incomplete. */
function NoPreview({ isPreviewing, isMany }: { isPreviewing: boolean; isMany: boolean }) {
  const { t } = useTranslation();
  if (isPreviewing) return <p>{t('run.loadingPreview')}</p>;
  return isMany && <p>{t('run.recordsMayBeSkipped')}</p>;
}

/** Shows what the provider charges, and the margin that is left of the customers' payments. */
function ProviderCosts({ costs }: { costs: Schemas['ProviderCosts'] }) {
  const { t } = useTranslation();
  const { total } = costs;
  const orderedQuantity = costs.orders.reduce((sum, order) => sum + order.quantity, 0);
  const quantityText = <p>{t('run.providerQuantity', { quantity: formatNumber(orderedQuantity) })}</p>;
  if (!total)
    return (
      <>
        {quantityText}
        <p className="field-error">{t('run.providerCostUnknown')}</p>
      </>
    );
  const lossCount = costs.orders.filter((order) => order.margin?.margin.startsWith('-')).length;
  const marginPercent = total.margin_fraction ? ` (${formatPercent(fractionToPercent(total.margin_fraction))})` : '';
  return (
    <>
      {quantityText}
      <p>
        {t('run.providerCosts', {
          cost: formatMoney(total.provider_cost),
          margin: `${formatMoney(total.margin)}${marginPercent}`,
        })}
      </p>
      {lossCount > 0 && <p className="field-error">{t('run.ordersAtLoss', { count: lossCount })}</p>}
    </>
  );
}
