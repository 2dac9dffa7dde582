// Discounts: shares off the price of some services, for a while.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { discounts } from '@/api/lists/discounts';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Name } from '../Name';
import { DiscountForm } from './DiscountForm';

type Row = Schemas['DiscountRow'];

const PATH = '/api/v1/admin/discounts';

const RESTORE: Action<Row> = {
  name: 'unarchiveDiscount',
  icon: 'replay',
  allows: (row) => row.actions.unarchivable,
  ...perRecordCalls('POST', `${PATH}/{id}/unarchive`),
};

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'completeDiscount',
    icon: 'flag',
    tone: 'danger',
    allows: (row) => row.actions.completable,
    ...perRecordCalls('POST', `${PATH}/{id}/complete`),
  },
  {
    name: 'archiveDiscount',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', `${PATH}/{id}/archive`),
  },
  RESTORE,
];

export default function Discounts() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () =>
      defineList(discounts, {
        title: 'discounts.title',
        columns: {
          id: 76,
          name: { width: 240, cell: (row) => <Name row={row} onOpen={setEdited} /> },
          discount_percent: 110,
          countries: { width: 150, sortable: false },
          is_countdown_enabled: 110,
        },
        defaults: { status: 'active,scheduled,completed,disabled' },
        actions: ACTIONS,
      }),
    [],
  );
  return (
    <>
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('discounts.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <DiscountForm
          id={edited === 'new' ? null : edited}
          restore={RESTORE}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['discounts'] })}
        />
      )}
    </>
  );
}
