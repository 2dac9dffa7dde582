// The screen with the list of discounts. A discount lowers the prices of selected services by a percentage, for a limited time.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { discounts } from '@/api/lists/discounts';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { OpenFormButton } from '../OpenFormButton';
import { DiscountForm } from './DiscountForm';

type DiscountRow = Schemas['DiscountRow'];

const DISCOUNTS_PATH = '/api/v1/admin/discounts';

const RESTORE_ACTION: Action<DiscountRow> = {
  name: 'unarchiveDiscount',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.unarchivable,
  ...createPerRecordRequests('POST', `${DISCOUNTS_PATH}/{id}/unarchive`),
};

const DISCOUNT_ACTIONS: readonly Action<DiscountRow>[] = [
  {
    name: 'completeDiscount',
    icon: 'flag',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.completable,
    ...createPerRecordRequests('POST', `${DISCOUNTS_PATH}/{id}/complete`),
  },
  {
    name: 'archiveDiscount',
    icon: 'inbox',
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', `${DISCOUNTS_PATH}/{id}/archive`),
  },
  RESTORE_ACTION,
];

export default function Discounts() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The discount in the form. 'new' for a new discount, null if the form is closed.
  const [openDiscountId, setOpenDiscountId] = useState<number | 'new' | null>(null);
  const list = useMemo<List<DiscountRow>>(
    () =>
      defineList(discounts, {
        title: 'discounts.title',
        columns: {
          id: 76,
          name: { width: 240, cell: (row) => <OpenFormButton row={row} onOpen={setOpenDiscountId} /> },
          discount_fraction: 110,
          countries: { width: 150, sortable: false },
          is_countdown_enabled: 110,
        },
        defaultFilters: { status: 'active,scheduled,completed,disabled' },
        actions: DISCOUNT_ACTIONS,
      }),
    [],
  );
  return (
    <>
      <ServerTable
        list={list}
        tools={
          <Button variant="filled" icon="plus" label={t('discounts.create')} onClick={() => setOpenDiscountId('new')} />
        }
      />
      {openDiscountId !== null && (
        <DiscountForm
          id={openDiscountId === 'new' ? null : openDiscountId}
          restoreAction={RESTORE_ACTION}
          onClose={() => setOpenDiscountId(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['discounts'] })}
        />
      )}
    </>
  );
}
