// Coupons: what customers get for a code.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count, money, percent } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { percentOf } from '@/ui/fraction';
import { Tabs } from '@/ui/Tabs';
import { STATUSES } from '../discounts/Discounts';
import { Name } from '../Name';
import { CouponForm } from './CouponForm';
import { TABS } from './tabs';

type Row = Schemas['CouponRow'];

const PATH = '/api/v1/admin/coupons';
const HIDDEN = { hidden: true } as const;

const c = columnsOf<Row>('coupons');

/** What a coupon gives, in one cell. */
export function gives(row: Row): string {
  const amount = row.bonus_amount ? money(row.bonus_amount) : '';
  if (!row.bonus_percentage) return amount;
  return percent(percentOf(row.bonus_percentage)) + (amount && ` ≤ ${amount}`);
}

function columns(edit: (id: number) => void): readonly Column<Row>[] {
  return [
    c.id(76),
    c.text('name', 'name', 220, {
      // In any language that it has a name in.
      filterName: 'translated_name',
      cell: (row) => <Name row={row} onOpen={edit} />,
    }),
    c.text('code', 'code', 130, { cell: (row) => <code>{row.code}</code> }),
    c.status('status', 'status', STATUSES),
    {
      name: 'payment_type',
      label: 'coupons.columns.with',
      width: 190,
      filter: { kind: 'words', words: ['deposit', 'order'], texts: 'couponType' },
      cell: (row) => <PaymentType type={row.payment_type} />,
    },
    {
      name: 'bonus_percentage',
      label: 'coupons.columns.gives',
      width: 140,
      align: 'end',
      filter: { kind: 'share' },
      cell: gives,
    },
    c.money('min_amount', 'minAmount'),
    c.number('usages', 'usages', 100, {
      cell: (row) => (row.usage_limit == null ? count(row.usages) : `${count(row.usages)} / ${count(row.usage_limit)}`),
    }),
    c.money('received', 'received'),
    c.money('spent', 'spent'),
    c.time('valid_from', 'from', HIDDEN),
    c.time('valid_to', 'to'),
    {
      name: 'affiliate.email',
      label: 'coupons.columns.manager',
      width: 190,
      filter: { kind: 'record', of: 'user' },
      filterName: 'affiliate',
      cell: (row) => row.affiliate?.email ?? '–',
    },
    {
      name: 'bonus_type',
      label: 'coupons.columns.bonusType',
      width: 150,
      hidden: true,
      filter: { kind: 'words', words: ['balance', 'discount'], texts: 'couponBonus' },
      cell: (row) => <Word texts="couponBonus" word={row.bonus_type} />,
    },
    {
      name: 'bonus_amount_calculation_type',
      label: 'coupons.calculation',
      width: 150,
      hidden: true,
      filter: { kind: 'words', words: ['percent', 'fixed'], texts: 'couponCalculation' },
      cell: (row) => <Word texts="couponCalculation" word={row.bonus_amount_calculation_type} />,
    },
    c.flag('displayable', 'displayable', 100),
    c.number('usage_limit', 'limit', 90, HIDDEN),
    c.money('bonus_amount', 'amount', 110, HIDDEN),
    c.time('created_at', 'createdAt', HIDDEN),
  ];
}

function Word({ texts, word }: { texts: 'couponBonus' | 'couponCalculation'; word: string }) {
  const { t } = useTranslation();
  return t(`${texts}.${word}` as 'couponBonus.balance');
}

function PaymentType({ type }: { type: Row['payment_type'] }) {
  const { t } = useTranslation();
  return t(`couponType.${type}`);
}

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'archiveCoupon',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...eachOf('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveCoupon',
    icon: 'replay',
    allows: (row) => row.actions.restore,
    ...eachOf('POST', `${PATH}/{id}/unarchive`),
  },
];

export default function Coupons() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () => ({
      name: 'coupons',
      title: 'coupons.title',
      path: PATH,
      columns: columns(setEdited),
      plain: ['is_all'],
      defaults: { is_all: '0' },
      actions: ACTIONS,
    }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs base="/coupons" tabs={TABS} now="" />
      <ServerTable
        list={list}
        tools={<Button look="filled" icon="plus" label={t('coupons.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <CouponForm
          id={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['coupons'] })}
        />
      )}
    </div>
  );
}
