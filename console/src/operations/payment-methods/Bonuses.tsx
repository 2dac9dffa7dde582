// The bonuses of one payment method. A payment gets one bonus: the enabled bonus with the highest `from_amount` that is not above
// the payment.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkboxCodec, fractionAsPercentCodec, moneyCodec } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import { FormDialog } from '@/form/FormDialog';
import { addPrefix, defineForm, removePrefix } from '@/form/spec';
import { formatMoney, formatPercent } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { RecordPage } from '@/ui/RecordPage';
import { SimpleTable } from '@/ui/SimpleTable';
import { usePaymentMethod } from './usePaymentMethod';

type Bonus = Schemas['PaymentMethodBonus'];
type PaymentMethod = Schemas['PaymentMethod'];

const DELETE_ACTION: Action<Bonus> = {
  name: 'deleteBonus',
  icon: 'trash',
  tone: 'danger',
  isAllowedFor: () => true,
  ...createPerRecordRequests('DELETE', '/api/v1/admin/payment-method-bonuses/{id}'),
};

export default function Bonuses({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePaymentMethod(Number(params.id));
  const backLink = { href: `/payment-methods/${params.id}`, text: query.data?.name ?? t('methods.title') };
  return (
    <RecordPage query={query} backLink={backLink}>
      {(method) => <BonusesView method={method} />}
    </RecordPage>
  );
}

function BonusesView({ method }: { method: PaymentMethod }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The bonus in the dialog; 'new' for a new bonus, null if the dialog is closed.
  const [dialogBonus, setDialogBonus] = useState<Bonus | 'new' | null>(null);
  const [bonusToDelete, setBonusToDelete] = useState<Bonus | null>(null);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['payment-methods'] });
  const renderButtons = (bonus: Bonus) => (
    <span className="record-actions">
      <Button
        variant="plain"
        iconOnly
        icon="pencil"
        label={t('methods.bonuses.edit', { amount: formatMoney(bonus.from_amount) })}
        onClick={() => setDialogBonus(bonus)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="trash"
        tone="danger"
        label={t('methods.bonuses.delete', { amount: formatMoney(bonus.from_amount) })}
        onClick={() => setBonusToDelete(bonus)}
      />
    </span>
  );
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('methods.bonuses.title', { name: method.name })}</h1>
      </div>
      <Card
        title={t('methods.columns.bonuses')}
        headerActions={
          method.actions.edit && (
            <Button icon="plus" label={t('methods.bonuses.add')} onClick={() => setDialogBonus('new')} />
          )
        }
      >
        <p className="none">{t('methods.bonuses.hint')}</p>
        <BonusTable bonuses={method.payment_method_bonuses} {...(method.actions.edit ? { renderButtons } : {})} />
      </Card>
      {dialogBonus && (
        <BonusForm
          method={method}
          bonus={dialogBonus === 'new' ? null : dialogBonus}
          onClose={() => setDialogBonus(null)}
          onChanged={refresh}
        />
      )}
      {bonusToDelete && (
        <ActionDialog
          action={DELETE_ACTION}
          ids={[bonusToDelete.id]}
          row={bonusToDelete}
          onClose={() => setBonusToDelete(null)}
          onDone={refresh}
        />
      )}
    </>
  );
}

interface BonusTableProps {
  bonuses: readonly Bonus[];
  renderButtons?: (bonus: Bonus) => ReactNode;
}

export function BonusTable({ bonuses, renderButtons }: BonusTableProps) {
  const { t } = useTranslation();
  return (
    <SimpleTable
      label={t('methods.columns.bonuses')}
      rows={bonuses}
      getRowKey={(bonus) => bonus.id}
      emptyText={t('methods.bonuses.noBonuses')}
      columns={[
        { title: t('methods.bonuses.isEnabled'), renderCell: (bonus) => <BooleanText value={bonus.is_enabled} /> },
        { title: t('methods.bonuses.fromAmount'), align: 'end', renderCell: (bonus) => formatMoney(bonus.from_amount) },
        {
          title: t('methods.bonuses.percent'),
          align: 'end',
          renderCell: (bonus) => formatPercent(fractionToPercent(bonus.bonus_fraction)),
        },
        ...(renderButtons ? [{ title: t('table.actions'), align: 'end' as const, renderCell: renderButtons }] : []),
      ]}
    />
  );
}

const BONUS_FORM = defineForm<Schemas['BonusInput']>()({
  from_amount: orDefault(moneyCodec, '0'),
  bonus_fraction: orDefault(fractionAsPercentCodec, '0'),
  is_enabled: checkboxCodec,
});
/** The server's field errors contain the index of the bonus in the request. This form always sends one bonus. */
const FIELD_PREFIX = 'bonuses.0';
const BONUS_SPEC = { codecs: addPrefix(FIELD_PREFIX, BONUS_FORM.codecs) };

interface BonusFormProps {
  method: PaymentMethod;
  /** Null creates a new bonus. */
  bonus: Bonus | null;
  onClose: () => void;
  onChanged: () => void;
}

function BonusForm({ method, bonus, onClose, onChanged }: BonusFormProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={bonus ? t('methods.bonuses.edit', { amount: formatMoney(bonus.from_amount) }) : t('methods.bonuses.add')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: `${FIELD_PREFIX}.from_amount`, label: t('methods.bonuses.fromAmount') },
        { name: `${FIELD_PREFIX}.bonus_fraction`, label: t('methods.bonuses.percent') },
        { name: `${FIELD_PREFIX}.is_enabled`, label: t('methods.bonuses.isEnabled') },
      ]}
      spec={BONUS_SPEC}
      initialValues={addPrefix(FIELD_PREFIX, BONUS_FORM.toValues(bonus ?? { from_amount: '0', bonus_fraction: '0' }))}
      send={({ values }, key) => {
        const input = { ...(bonus ? { id: bonus.id } : {}), ...BONUS_FORM.toBody(removePrefix(FIELD_PREFIX, values)) };
        const body = { payment_method_id: method.id, bonuses: [input] };
        return unwrap(api.POST('/api/v1/admin/payment-method-bonuses', { body, ...withIdempotencyKey(key) }));
      }}
      successMessage={t('ui.saved')}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
