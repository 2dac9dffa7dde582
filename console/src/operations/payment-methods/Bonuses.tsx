// The bonuses of one payment method. A payment gets the enabled bonus with the highest minimum amount that it reaches.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { money as amount, checkbox, points } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm, withoutPrefix, withPrefix } from '@/form/spec';
import { formatMoney, formatPercent } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { perRecordCalls } from '@/table/perRecordCalls';
import { Button } from '@/ui/Button';
import { Card, SmallTable } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { RecordPage } from '@/ui/RecordPage';
import { usePaymentMethod } from './usePaymentMethod';

type Bonus = Schemas['PaymentMethodBonus'];
type Method = Schemas['PaymentMethod'];

const REMOVE_BONUS: Action<Bonus> = {
  name: 'removeBonus',
  icon: 'trash',
  tone: 'danger',
  allows: () => true,
  ...perRecordCalls('DELETE', '/api/v1/admin/payment-method-bonuses/{id}'),
};

export default function Bonuses({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePaymentMethod(Number(params.id));
  const list = { href: `/payment-methods/${params.id}`, text: query.data?.name ?? t('methods.title') };
  return (
    <RecordPage query={query} list={list}>
      {(method) => <BonusesView method={method} />}
    </RecordPage>
  );
}

function BonusesView({ method }: { method: Method }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ current: Bonus | null } | null>(null);
  const [removing, setRemoving] = useState<Bonus | null>(null);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['payment-methods'] });
  const buttons = (bonus: Bonus) => (
    <span className="record-actions">
      <Button
        variant="plain"
        iconOnly
        icon="pencil"
        label={t('methods.bonuses.edit', { from: formatMoney(bonus.from_amount) })}
        onClick={() => setForm({ current: bonus })}
      />
      <Button
        variant="plain"
        iconOnly
        icon="trash"
        tone="danger"
        label={t('methods.bonuses.remove', { from: formatMoney(bonus.from_amount) })}
        onClick={() => setRemoving(bonus)}
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
        aside={
          method.actions.edit && (
            <Button icon="plus" label={t('methods.bonuses.add')} onClick={() => setForm({ current: null })} />
          )
        }
      >
        <p className="none">{t('methods.bonuses.hint')}</p>
        <BonusTable bonuses={method.payment_method_bonuses} {...(method.actions.edit ? { buttons } : {})} />
      </Card>
      {form && <BonusForm method={method} current={form.current} onClose={() => setForm(null)} onChanged={refresh} />}
      {removing && (
        <ActionDialog
          action={REMOVE_BONUS}
          ids={[removing.id]}
          row={removing}
          onClose={() => setRemoving(null)}
          onDone={refresh}
        />
      )}
    </>
  );
}

export function BonusTable({ bonuses, buttons }: { bonuses: readonly Bonus[]; buttons?: (bonus: Bonus) => ReactNode }) {
  const { t } = useTranslation();
  return (
    <SmallTable
      label={t('methods.columns.bonuses')}
      rows={bonuses}
      rowKey={(bonus) => bonus.id}
      empty={t('methods.bonuses.none')}
      columns={[
        { title: t('methods.bonuses.isEnabled'), cell: (bonus) => <Flag on={bonus.is_enabled} /> },
        { title: t('methods.bonuses.from'), align: 'end', cell: (bonus) => formatMoney(bonus.from_amount) },
        { title: t('methods.bonuses.percent'), align: 'end', cell: (bonus) => formatPercent(bonus.bonus_percent) },
        ...(buttons ? [{ title: t('table.actions'), align: 'end' as const, cell: buttons }] : []),
      ]}
    />
  );
}

const BONUS = defineForm<Schemas['BonusInput']>()({
  from_amount: orDefault(amount, '0'),
  bonus_percent: orDefault(points, '0'),
  is_enabled: checkbox,
});
/** The server names wrong fields by the index of the bonus in the request. This form always sends one bonus. */
const PREFIX = 'bonuses.0';
const SPEC = { codecs: withPrefix(PREFIX, BONUS.codecs) };

interface FormProps {
  method: Method;
  current: Bonus | null;
  onClose: () => void;
  onChanged: () => void;
}

function BonusForm({ method, current, onClose, onChanged }: FormProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={current ? t('methods.bonuses.edit', { from: formatMoney(current.from_amount) }) : t('methods.bonuses.add')}
      confirm={t('ui.save')}
      fields={[
        { name: `${PREFIX}.from_amount`, label: t('methods.bonuses.from') },
        { name: `${PREFIX}.bonus_percent`, label: t('methods.bonuses.percent') },
        { name: `${PREFIX}.is_enabled`, label: t('methods.bonuses.isEnabled') },
      ]}
      spec={SPEC}
      initial={withPrefix(PREFIX, BONUS.toValues(current ?? { from_amount: '0', bonus_percent: '0' }))}
      send={({ values }, key) => {
        const bonus = { ...(current ? { id: current.id } : {}), ...BONUS.toBody(withoutPrefix(PREFIX, values)) };
        const body = { payment_method_id: method.id, bonuses: [bonus] };
        return unwrap(api.POST('/api/v1/admin/payment-method-bonuses', { body, ...withIdempotencyKey(key) }));
      }}
      success={t('ui.saved')}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
