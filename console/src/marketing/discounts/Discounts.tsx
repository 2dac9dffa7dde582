// Discounts: shares off the price of some services, for a while.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { percent } from '@/i18n/format';
import type { Action } from '@/table/action';
import { type Column, filterOnly, type List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { percentOf } from '@/ui/fraction';
import { Name } from '../Name';
import { DiscountForm } from './DiscountForm';

type Row = Schemas['DiscountRow'];

export const STATUSES = ['active', 'scheduled', 'completed', 'disabled', 'archived'] as const;
const PATH = '/api/v1/admin/discounts';

const c = columnsOf<Row>('discounts');

function columns(edit: (id: number) => void): readonly Column<Row>[] {
  return [
    c.id(76),
    c.text('name', 'name', 240, {
      cell: (row) => <Name row={row} onOpen={edit} />,
    }),
    c.status('status', 'status', STATUSES),
    {
      name: 'discount_percent',
      label: 'discounts.columns.percent',
      width: 110,
      align: 'end',
      filter: { kind: 'share' },
      cell: (row) => percent(percentOf(row.discount_percent)),
    },
    c.number('services_count', 'services'),
    filterOnly('services', 'orders.columns.service', { kind: 'record', of: 'service' }),
    c.time('valid_from', 'from'),
    c.time('valid_to', 'to'),
    {
      name: 'countries',
      label: 'discounts.columns.countries',
      width: 150,
      sortable: false,
      filter: { kind: 'choices', of: 'countries' },
      cell: (row) => row.countries.join(', ') || '–',
    },
    c.flag('is_countdown_enabled', 'countdown', 110),
    c.time('created_at', 'createdAt', { hidden: true }),
  ];
}

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'completeDiscount',
    icon: 'flag',
    tone: 'danger',
    allows: (row) => row.actions.completable,
    ...eachOf('POST', `${PATH}/{id}/complete`),
  },
  {
    name: 'archiveDiscount',
    icon: 'inbox',
    allows: (row) => row.actions.archivable,
    ...eachOf('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveDiscount',
    icon: 'replay',
    allows: (row) => row.actions.unarchivable,
    ...eachOf('POST', `${PATH}/{id}/unarchive`),
  },
];

export default function Discounts() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () => ({
      name: 'discounts',
      title: 'discounts.title',
      path: PATH,
      columns: columns(setEdited),
      defaults: { status: 'active,scheduled,completed,disabled' },
      actions: ACTIONS,
    }),
    [],
  );
  return (
    <>
      <ServerTable
        list={list}
        tools={<Button look="filled" icon="plus" label={t('discounts.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <DiscountForm
          id={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['discounts'] })}
        />
      )}
    </>
  );
}
