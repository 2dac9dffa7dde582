// The bonuses of one payment method: from an amount on, a share more. The highest one that is reached and on is paid.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { or } from '@/form/codec';
import { money as amount, points, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf, groupOf, prefixed } from '@/form/spec';
import { money, percent } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { eachOf } from '@/table/each';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Panel, SmallTable } from '@/ui/Facts';
import { RecordPage } from '@/ui/Record';
import { useMethod } from './useMethod';

type Bonus = Schemas['PaymentMethodBonus'];
type Method = Schemas['PaymentMethod'];

const REMOVE: Action<Bonus> = {
  name: 'removeBonus',
  icon: 'trash',
  tone: 'danger',
  allows: () => true,
  ...eachOf('DELETE', '/api/v1/admin/payment-method-bonuses/{id}'),
};

export default function Bonuses({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useMethod(Number(params.id));
  const list = { href: `/payment-methods/${params.id}`, text: query.data?.name ?? t('methods.title') };
  return (
    <RecordPage query={query} list={list}>
      {(method) => <Shown method={method} />}
    </RecordPage>
  );
}

function Shown({ method }: { method: Method }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ old: Bonus | null } | null>(null);
  const [removed, setRemoved] = useState<Bonus | null>(null);
  const changed = () => void queries.invalidateQueries({ queryKey: ['payment-methods'] });
  const buttons = (bonus: Bonus) => (
    <span className="record-actions">
      <Button
        look="plain"
        iconOnly
        icon="pencil"
        label={t('methods.bonuses.edit', { from: money(bonus.from_amount) })}
        onClick={() => setForm({ old: bonus })}
      />
      <Button
        look="plain"
        iconOnly
        icon="trash"
        tone="danger"
        label={t('methods.bonuses.remove', { from: money(bonus.from_amount) })}
        onClick={() => setRemoved(bonus)}
      />
    </span>
  );
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{t('methods.bonuses.title', { name: method.name })}</h1>
      </div>
      <Panel
        title={t('methods.columns.bonuses')}
        aside={
          method.actions.edit && (
            <Button icon="plus" label={t('methods.bonuses.add')} onClick={() => setForm({ old: null })} />
          )
        }
      >
        <p className="none">{t('methods.bonuses.hint')}</p>
        <BonusTable bonuses={method.payment_method_bonuses} {...(method.actions.edit ? { buttons } : {})} />
      </Panel>
      {form && <BonusForm method={method} old={form.old} onClose={() => setForm(null)} onChanged={changed} />}
      {removed && (
        <ActionDialog
          action={REMOVE}
          ids={[removed.id]}
          row={removed}
          onClose={() => setRemoved(null)}
          onDone={changed}
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
        { title: t('methods.bonuses.from'), align: 'end', cell: (bonus) => money(bonus.from_amount) },
        { title: t('methods.bonuses.percent'), align: 'end', cell: (bonus) => percent(bonus.bonus_percent) },
        ...(buttons ? [{ title: t('table.actions'), align: 'end' as const, cell: buttons }] : []),
      ]}
    />
  );
}

const BONUS = formOf<Schemas['BonusInput']>()({
  from_amount: or(amount, '0'),
  bonus_percent: or(points, '0'),
  is_enabled: tick,
});
/** The server names what is wrong by the place of a bonus in the list that is sent; here it is always the first. */
const AT = 'bonuses.0';
const SPEC = { codecs: prefixed(AT, BONUS.codecs) };

interface FormProps {
  method: Method;
  old: Bonus | null;
  onClose: () => void;
  onChanged: () => void;
}

function BonusForm({ method, old, onClose, onChanged }: FormProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={old ? t('methods.bonuses.edit', { from: money(old.from_amount) }) : t('methods.bonuses.add')}
      confirm={t('ui.save')}
      fields={[
        { name: `${AT}.from_amount`, label: t('methods.bonuses.from') },
        { name: `${AT}.bonus_percent`, label: t('methods.bonuses.percent') },
        { name: `${AT}.is_enabled`, label: t('methods.bonuses.isEnabled') },
      ]}
      spec={SPEC}
      initial={prefixed(AT, BONUS.valuesOf(old ?? { from_amount: '0', bonus_percent: '0' }))}
      send={({ values }, key) => {
        const bonus = { ...(old ? { id: old.id } : {}), ...BONUS.wholeOf(groupOf(AT, values)) };
        const body = { payment_method_id: method.id, bonuses: [bonus] };
        return unwrap(api.POST('/api/v1/admin/payment-method-bonuses', { body, ...keyed(key) }));
      }}
      success={t('ui.saved')}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
