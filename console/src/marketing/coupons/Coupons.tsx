// Coupons: what customers get for a code.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { coupons } from '@/api/lists/coupons';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Tabs } from '@/ui/Tabs';
import { Name } from '../Name';
import { CouponForm } from './CouponForm';
import { TABS } from './tabs';

type Row = Schemas['CouponRow'];

const PATH = '/api/v1/admin/coupons';

/** What a coupon gives, in one cell. */
export function gives(row: Row): string {
  const amount = row.bonus_amount ? formatMoney(row.bonus_amount) : '';
  if (!row.bonus_percentage) return amount;
  return formatPercent(fractionToPercent(row.bonus_percentage)) + (amount && ` ≤ ${amount}`);
}

const RESTORE: Action<Row> = {
  name: 'unarchiveCoupon',
  icon: 'replay',
  allows: (row) => row.actions.restore,
  ...perRecordCalls('POST', `${PATH}/{id}/unarchive`),
};

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'archiveCoupon',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', `${PATH}/{id}/archive`),
  },
  RESTORE,
];

export default function Coupons() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () =>
      defineList(coupons, {
        title: 'coupons.title',
        columns: {
          id: 76,
          // Found in any language that it has a name in.
          name: { width: 220, cell: (row) => <Name row={row} onOpen={setEdited} /> },
          code: { width: 130, cell: (row) => <code>{row.code}</code> },
          payment_type: 190,
          bonus_percentage: { width: 140, cell: gives },
          usages: {
            width: 100,
            cell: (row) =>
              row.usage_limit == null
                ? formatNumber(row.usages)
                : `${formatNumber(row.usages)} / ${formatNumber(row.usage_limit)}`,
          },
          'affiliate.email': 190,
          bonus_type: 150,
          bonus_amount_calculation_type: 150,
          displayable: 100,
        },
        defaults: { is_all: '0' },
        actions: ACTIONS,
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs base="/coupons" tabs={TABS} current="" />
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('coupons.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <CouponForm
          id={edited === 'new' ? null : edited}
          restore={RESTORE}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['coupons'] })}
        />
      )}
    </div>
  );
}
