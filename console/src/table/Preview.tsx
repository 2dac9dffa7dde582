// The effect of an action, from a dry run on the server: the same transaction, rolled back.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import type { BulkOutcome } from './action';
import { skipReasons } from './run';

interface Props {
  ids: readonly number[];
  preview: BulkOutcome | null;
  isPreviewing: boolean;
  /** Whether the action cannot be undone. */
  isFinal: boolean;
  children?: ReactNode;
}

export function Preview({ ids, preview, isPreviewing, isFinal, children }: Props) {
  const { t } = useTranslation();
  const skipped = preview ? skipReasons(preview) : [];
  const charged = preview?.totals.charged ?? '0';
  return (
    <div className="preview" aria-live="polite" aria-busy={isPreviewing}>
      {preview ? (
        <p>
          <strong>
            {t(preview.isUpperBound && charged !== '0' ? 'run.wouldAtMost' : 'run.would', {
              count: preview.processed,
              shown: formatNumber(preview.processed),
              of: formatNumber(ids.length),
            })}
          </strong>
          <AffectedRecords outcome={preview} />
          <MoneyMoved outcome={preview} />
        </p>
      ) : (
        <NoPreview isPreviewing={isPreviewing} isMany={ids.length > 1} />
      )}
      {preview?.costs && <Costs costs={preview.costs} />}
      {skipped.length > 0 && (
        <ul>
          {skipped.slice(0, 5).map((reason) => (
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
      {isFinal && <p className="preview-final">{t('run.final')}</p>}
    </div>
  );
}

/** Numbers of affected services and customers; not shown for one order, whose row names them. */
function AffectedRecords({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { services = 0, customers = 0 } = outcome.totals;
  if (outcome.processed < 2 || customers === 0) return null;
  return ` ${t('run.reach', { services: formatNumber(services), customers: formatNumber(customers) })}`;
}

/** Refunds and charges. Chunks are previewed separately, so their sum of charges is an upper bound. */
function MoneyMoved({ outcome }: { outcome: BulkOutcome }) {
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

/** Without a preview: says that it is loading, or that some of many records may be skipped. */
function NoPreview({ isPreviewing, isMany }: { isPreviewing: boolean; isMany: boolean }) {
  const { t } = useTranslation();
  if (isPreviewing) return <p>{t('run.trying')}</p>;
  return isMany && <p>{t('run.notTried')}</p>;
}

/** The provider's cost, and the margin that remains of the customers' charges. */
function Costs({ costs }: { costs: Schemas['ProviderCosts'] }) {
  const { t } = useTranslation();
  const { total } = costs;
  const ordered = costs.orders.reduce((sum, order) => sum + order.quantity, 0);
  const quantity = <p>{t('run.ordered', { quantity: formatNumber(ordered) })}</p>;
  if (!total)
    return (
      <>
        {quantity}
        <p className="field-error">{t('run.costsUnknown')}</p>
      </>
    );
  const losses = costs.orders.filter((order) => order.margin?.margin.startsWith('-')).length;
  const share = total.margin_percent ? ` (${formatPercent(fractionToPercent(total.margin_percent))})` : '';
  return (
    <>
      {quantity}
      <p>
        {t('run.costs', { cost: formatMoney(total.provider_cost), margin: `${formatMoney(total.margin)}${share}` })}
      </p>
      {losses > 0 && <p className="field-error">{t('run.losses', { count: losses })}</p>}
    </>
  );
}
