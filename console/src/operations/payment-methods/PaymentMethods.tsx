// Payment methods in their order.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, get, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { money, percent } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { type Column, filterOnly, type List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { percentOf } from '@/ui/fraction';
import { SortDialog } from '@/ui/SortDialog';
import { toast } from '@/ui/toasts';
import { METHOD_ACTIONS } from './actions';
import { MethodForm } from './MethodForm';
import { TYPES } from './values';

type Row = Schemas['PaymentMethod'];

const c = columnsOf<Row>('methods');
const COLUMNS: readonly Column<Row>[] = [
  c.number('sorting', 'place', 80),
  c.id(80, (row) => `/payment-methods/${row.id}`),
  {
    name: 'name',
    label: 'methods.columns.name',
    width: 240,
    filter: { kind: 'text' },
    cell: (row) => (
      <Link className="with-icon" href={`/payment-methods/${row.id}`}>
        {row.icon && <img src={row.icon} alt="" />}
        {row.name}
      </Link>
    ),
  },
  {
    name: 'type',
    label: 'methods.columns.type',
    width: 120,
    filter: { kind: 'words', words: TYPES, texts: 'methodType' },
    cell: (row) => <TypeText type={row.type} />,
  },
  c.status('status', 'status', ['active', 'disabled']),
  {
    name: 'fee_percent',
    label: 'methods.columns.fee',
    width: 90,
    align: 'end',
    filter: { kind: 'share' },
    cell: (row) => percent(percentOf(row.fee_percent)),
  },
  c.money('min_amount', 'min'),
  {
    name: 'max_amount',
    label: 'methods.columns.max',
    width: 110,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => (row.max_amount ? money(row.max_amount) : '–'),
  },
  c.text('charge_currency', 'currency', 110),
  c.flag('is_allowed_for_new_user', 'newUsers', 120),
  {
    name: 'bonuses',
    label: 'methods.columns.bonuses',
    width: 100,
    align: 'end',
    sortable: false,
    cell: (row) => (
      <Link href={`/payment-method-bonuses/${row.id}`}>
        {row.payment_method_bonuses.filter((bonus) => bonus.is_enabled).length}
      </Link>
    ),
  },
  c.time('created_at', 'createdAt', { hidden: true }),
  filterOnly('charge_type', 'methods.chargeType', {
    kind: 'words',
    words: ['on_top', 'deducted'],
    texts: 'methodCharge',
  }),
  filterOnly('strategy', 'methods.strategy', { kind: 'words', words: ['manual', 'gateway'], texts: 'methodStrategy' }),
];

const METHODS: List<Row> = {
  name: 'payment-methods',
  title: 'methods.title',
  path: '/api/v1/admin/payment-methods',
  columns: COLUMNS,
  sort: { column: 'sorting', descending: false },
  actions: METHOD_ACTIONS,
  open: (row) => `/payment-methods/${row.id}`,
};

function TypeText({ type }: { type: Row['type'] }) {
  const { t } = useTranslation();
  return t(`methodType.${type}`);
}

export default function PaymentMethods() {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [sorting, setSorting] = useState<readonly Row[] | null>(null);
  const changed = () => void queries.invalidateQueries({ queryKey: ['payment-methods'] });
  const sort = async () => {
    try {
      const answer = await get('/api/v1/admin/payment-methods?length=-1');
      setSorting(((await answer.json()) as { data: Row[] }).data);
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    }
  };
  const tools = may('manage payment methods') && (
    <>
      <Button icon="sort-alt" label={t('methods.sort')} onClick={sort} />
      <Button icon="plus" label={t('methods.add')} onClick={() => setAdding(true)} />
    </>
  );
  return (
    <>
      <ServerTable list={METHODS} tools={tools} />
      {adding && <MethodForm method={null} onClose={() => setAdding(false)} onChanged={changed} />}
      {sorting && (
        <SortDialog
          title={t('methods.sort')}
          items={sorting}
          onClose={() => setSorting(null)}
          onSave={async (ids) => {
            await told(api.POST('/api/v1/admin/payment-methods/sort', { body: { payment_methods: ids } }));
            toast({ tone: 'success', text: t('ui.saved') });
            changed();
          }}
        />
      )}
    </>
  );
}
