// The screen with the list of coupons. A customer who enters the code of a coupon gets a bonus.
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
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Tabs } from '@/ui/Tabs';
import { OpenFormButton } from '../OpenFormButton';
import { CouponForm } from './CouponForm';
import { COUPON_TABS } from './tabs';

type CouponRow = Schemas['CouponRow'];

const COUPONS_PATH = '/api/v1/admin/coupons';

/** Formats the bonus: an amount, a percentage, or a percentage with a maximum amount ("5 % ≤ $10"). */
function formatBonus(row: CouponRow): string {
  const amount = row.bonus_amount ? formatMoney(row.bonus_amount) : '';
  if (!row.bonus_fraction) return amount;
  return formatPercent(fractionToPercent(row.bonus_fraction)) + (amount && ` ≤ ${amount}`);
}

const RESTORE_ACTION: Action<CouponRow> = {
  name: 'unarchiveCoupon',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.restore,
  ...createPerRecordRequests('POST', `${COUPONS_PATH}/{id}/unarchive`),
};

const COUPON_ACTIONS: readonly Action<CouponRow>[] = [
  {
    name: 'archiveCoupon',
    icon: 'inbox',
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', `${COUPONS_PATH}/{id}/archive`),
  },
  RESTORE_ACTION,
];

export default function Coupons() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The coupon in the form. 'new' for a new coupon, null if the form is closed.
  const [openCouponId, setOpenCouponId] = useState<number | 'new' | null>(null);
  const list = useMemo<List<CouponRow>>(
    () =>
      defineList(coupons, {
        title: 'coupons.title',
        columns: {
          id: 76,
          name: { width: 220, cell: (row) => <OpenFormButton row={row} onOpen={setOpenCouponId} /> },
          code: { width: 130, cell: (row) => <code>{row.code}</code> },
          payment_type: 190,
          bonus_fraction: { width: 140, cell: formatBonus },
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
        // Hides archived coupons.
        defaultFilters: { is_all: '0' },
        actions: COUPON_ACTIONS,
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/coupons" tabs={COUPON_TABS} currentTab="" />
      <ServerTable
        list={list}
        tools={
          <Button variant="filled" icon="plus" label={t('coupons.create')} onClick={() => setOpenCouponId('new')} />
        }
      />
      {openCouponId !== null && (
        <CouponForm
          id={openCouponId === 'new' ? null : openCouponId}
          restoreAction={RESTORE_ACTION}
          onClose={() => setOpenCouponId(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['coupons'] })}
        />
      )}
    </div>
  );
}
