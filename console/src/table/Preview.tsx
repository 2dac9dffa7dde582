// What an action would do, as the server tried it: the same transaction, rolled back.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { percentOf } from '@/form/decimal';
import { count, money, percent } from '@/i18n/format';
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
  const charged = preview?.totals.charged ?? '0';
  return (
    <div className="preview" aria-live="polite" aria-busy={trying}>
      {preview ? (
        <p>
          <strong>
            {t(preview.isUpperBound && charged !== '0' ? 'run.wouldAtMost' : 'run.would', {
              count: preview.processed,
              shown: count(preview.processed),
              of: count(ids.length),
            })}
          </strong>
          <Reach outcome={preview} />
          <Moved outcome={preview} />
        </p>
      ) : (
        <Untried trying={trying} isMany={ids.length > 1} />
      )}
      {preview?.costs && <Costs costs={preview.costs} />}
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

/** How many services and customers many orders belong to; of one order its row says so. */
function Reach({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { services = 0, customers = 0 } = outcome.totals;
  if (outcome.processed < 2 || customers === 0) return null;
  return ` ${t('run.reach', { services: count(services), customers: count(customers) })}`;
}

/** The money that would move. Chunks are tried apart, so one cannot know what another takes from the same customer. */
function Moved({ outcome }: { outcome: BulkOutcome }) {
  const { t } = useTranslation();
  const { returned, charged = '0', users } = outcome.totals;
  return (
    <>
      {returned !== '0' && ` ${t('run.returns', { amount: money(returned), count: users })}`}
      {charged !== '0' &&
        ` ${t(outcome.isUpperBound ? 'run.chargesAtMost' : 'run.charges', { amount: money(charged) })}`}
    </>
  );
}

/** What is known without an answer: of many records some may be skipped; one is changed, or the dialog says why not. */
function Untried({ trying, isMany }: { trying: boolean; isMany: boolean }) {
  const { t } = useTranslation();
  if (trying) return <p>{t('run.trying')}</p>;
  return isMany && <p>{t('run.notTried')}</p>;
}

/** What the provider charges, and what of the customers' charge is left after it. */
function Costs({ costs }: { costs: Schemas['ProviderCosts'] }) {
  const { t } = useTranslation();
  const { total } = costs;
  const ordered = costs.orders.reduce((sum, order) => sum + order.quantity, 0);
  const quantity = <p>{t('run.ordered', { quantity: count(ordered) })}</p>;
  if (!total)
    return (
      <>
        {quantity}
        <p className="field-error">{t('run.costsUnknown')}</p>
      </>
    );
  const losses = costs.orders.filter((order) => order.margin?.margin.startsWith('-')).length;
  const share = total.margin_percent ? ` (${percent(percentOf(total.margin_percent))})` : '';
  return (
    <>
      {quantity}
      <p>{t('run.costs', { cost: money(total.provider_cost), margin: `${money(total.margin)}${share}` })}</p>
      {losses > 0 && <p className="field-error">{t('run.losses', { count: losses })}</p>}
    </>
  );
}
