// Shows the effect of an action before it runs. The server has computed it in a dry run: it makes the changes in a transaction and
// rolls that back.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import type { BulkOutcome } from './action';
import { skipReasons } from './run';

interface Props {
  /** The texts of the action are under the i18n key `actions.<actionName>`. */
  actionName: string;
  ids: readonly number[];
  preview: BulkOutcome | null;
  isPreviewing: boolean;
  isIrreversible: boolean;
  children?: ReactNode;
}

export function Preview({ actionName, ids, preview, isPreviewing, isIrreversible, children }: Props) {
  const { t } = useTranslation();
  const reasons = preview ? skipReasons(preview) : [];
  const charged = preview?.totals.charged ?? '0';
  return (
    <div className="preview" aria-live="polite" aria-busy={isPreviewing}>
      {preview ? (
        <p>
          <strong>
            {t(preview.isUpperBound && charged !== '0' ? 'run.atMost' : `actions.${actionName as 'cancel'}.would`, {
              count: preview.processed,
              shown: formatNumber(preview.processed),
              of: formatNumber(ids.length),
            })}
          </strong>
          <AffectedRecords outcome={preview} />
          <RefundsAndCharges outcome={preview} />
        </p>
      ) : (
        <NoPreview isPreviewing={isPreviewing} isMany={ids.length > 1} />
      )}
      {preview?.costs && <Costs costs={preview.costs} />}
      {reasons.length > 0 && (
        <ul>
          {reasons.slice(0, 5).map((reason) => (
            <li key={reason.message}>
              {t('run.skipped', {
                count: reason.ids.length,
                shown: formatNumber(reason.ids.length),
                reason: reason.message,
              })}
            </li>
          ))}
        </ul>
      )}
      {children}
      {isIrreversible && <p className="preview-final">{t('run.final')}</p>}
    </div>
  );
}

/** How many services and customers are affected. Not shown for one order, because its row shows service and customer. */
function AffectedRecords({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { services = 0, customers = 0 } = outcome.totals;
  if (outcome.processed < 2 || customers === 0) return null;
  return ` ${t('run.reach', { services: formatNumber(services), customers: formatNumber(customers) })}`;
}

/** If several chunks were previewed separately, the sum of their charges is an upper bound. */
function RefundsAndCharges({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { returned, charged = '0', users } = outcome.totals;
  return (
    <>
      {returned !== '0' && ` ${t('run.returns', { amount: formatMoney(returned), count: users })}`}
      {charged !== '0' &&
        ` ${t(outcome.isUpperBound ? 'run.chargesAtMost' : 'run.charges', { amount: formatMoney(charged) })}`}
    </>
  );
}

/** Shown without a preview: it is loading, or the form is incomplete and the run may skip some of many records. */
function NoPreview({ isPreviewing, isMany }: { isPreviewing: boolean; isMany: boolean }) {
  const { t } = useTranslation();
  if (isPreviewing) return <p>{t('run.loadingPreview')}</p>;
  return isMany && <p>{t('run.notTried')}</p>;
}

/** What the provider charges, and what is left of the customers' payments. */
function Costs({ costs }: { costs: Schemas['ProviderCosts'] }) {
  const { t } = useTranslation();
  const { total } = costs;
  const orderedQuantity = costs.orders.reduce((sum, order) => sum + order.quantity, 0);
  const quantityText = <p>{t('run.ordered', { quantity: formatNumber(orderedQuantity) })}</p>;
  if (!total)
    return (
      <>
        {quantityText}
        <p className="field-error">{t('run.costsUnknown')}</p>
      </>
    );
  const lossCount = costs.orders.filter((order) => order.margin?.margin.startsWith('-')).length;
  const marginPercent = total.margin_fraction ? ` (${formatPercent(fractionToPercent(total.margin_fraction))})` : '';
  return (
    <>
      {quantityText}
      <p>
        {t('run.costs', {
          cost: formatMoney(total.provider_cost),
          margin: `${formatMoney(total.margin)}${marginPercent}`,
        })}
      </p>
      {lossCount > 0 && <p className="field-error">{t('run.losses', { count: lossCount })}</p>}
    </>
  );
}
