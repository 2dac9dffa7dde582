// The custom prices and service settings of a customer.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatMoney, formatNumber } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card, SmallTable } from '@/ui/Card';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { priceActions } from './actions';
import { BulkPricesForm, PriceForm } from './priceForms';

type Price = Schemas['UserService'];
type User = Schemas['User'];

/** The table shows at most this many rows. A search finds the others. */
const MAX_ROWS = 200;

export function Prices({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ current: Price | null } | 'many' | null>(null);
  const [removing, setRemoving] = useState<Price | null>(null);
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'prices', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id: user.id } } }))).data,
  });
  const refresh = () => void queries.invalidateQueries({ queryKey: ['users'] });
  const actions = useMemo(() => priceActions(user.id), [user.id]);
  const matches = useMemo(() => filterPrices(data ?? [], search), [data, search]);
  const close = () => setForm(null);
  return (
    <Card
      title={t('users.prices.title')}
      aside={
        user.actions.editable && (
          <span className="record-actions">
            <Button icon="list" label={t('users.prices.many')} onClick={() => setForm('many')} />
            <Button icon="plus" label={t('users.prices.add')} onClick={() => setForm({ current: null })} />
          </span>
        )
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && data.length > 10 && (
        <input
          className="input"
          type="search"
          aria-label={t('users.prices.search')}
          placeholder={t('users.prices.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      {data && (
        <PriceTable
          prices={matches.slice(0, MAX_ROWS)}
          empty={search ? t('table.nothingMatches') : t('users.prices.none')}
          canEdit={user.actions.editable}
          onEdit={(current) => setForm({ current })}
          onRemove={setRemoving}
        />
      )}
      {matches.length > MAX_ROWS && (
        <p className="none">{t('users.prices.more', { shown: formatNumber(matches.length - MAX_ROWS) })}</p>
      )}
      {form === 'many' && <BulkPricesForm user={user} onClose={close} onChanged={refresh} />}
      {form !== null && form !== 'many' && (
        <PriceForm user={user} current={form.current} onClose={close} onChanged={refresh} />
      )}
      {removing && actions[0] && (
        <ActionDialog
          action={actions[0]}
          ids={[removing.id]}
          row={removing}
          onClose={() => setRemoving(null)}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

function filterPrices(prices: readonly Price[], search: string): readonly Price[] {
  const term = search.trim().toLowerCase();
  if (!term) return prices;
  return prices.filter((price) => price.service.name.toLowerCase().includes(term) || String(price.service_id) === term);
}

interface TableProps {
  prices: readonly Price[];
  empty: string;
  canEdit: boolean;
  onEdit: (price: Price) => void;
  onRemove: (price: Price) => void;
}

function PriceTable({ prices, empty, canEdit, onEdit, onRemove }: TableProps) {
  const { t } = useTranslation();
  const dash = <span className="none">–</span>;
  return (
    <SmallTable
      label={t('users.prices.title')}
      rows={prices}
      rowKey={(price) => price.id}
      empty={empty}
      columns={[
        { title: t('services.columns.id'), cell: (price) => price.service_id },
        { title: t('users.prices.service'), cell: (price) => price.service.name },
        {
          title: t('users.prices.price'),
          align: 'end',
          cell: (price) => (price.default_price ? <strong>{formatMoney(price.default_price)}</strong> : dash),
        },
        {
          title: t('users.prices.lowest'),
          align: 'end',
          cell: (price) => (price.min_price ? formatMoney(price.min_price) : dash),
        },
        {
          title: t('users.prices.everybodys'),
          align: 'end',
          cell: (price) => formatMoney(price.service_default_price),
        },
        { title: t('users.prices.per'), align: 'end', cell: (price) => formatNumber(price.pricing_per) },
        { title: t('users.prices.refill'), cell: (price) => <Flag on={price.has_refill} /> },
        { title: t('users.prices.auto'), cell: (price) => <Flag on={price.auto_refill_is_allowed} /> },
        { title: t('users.prices.updatedAt'), cell: (price) => <DateTime at={price.updated_at} /> },
        ...(canEdit
          ? [
              {
                title: '',
                align: 'end' as const,
                cell: (price: Price) => (
                  <RowButtons
                    edit={{
                      label: t('users.prices.edit', { name: price.service.name }),
                      onClick: () => onEdit(price),
                    }}
                    remove={{
                      label: t('users.prices.remove', { name: price.service.name }),
                      onClick: () => onRemove(price),
                    }}
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  );
}
