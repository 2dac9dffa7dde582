// A customer's own prices and terms of services.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count, money } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Flag } from '@/ui/cells';
import { Panel, SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { When } from '@/ui/When';
import { priceActions } from './actions';
import { ManyPrices, PriceForm } from './priceForms';

type Price = Schemas['UserService'];
type User = Schemas['User'];

/** Rows drawn at once; a search finds the others. */
const MOST = 200;

export function Prices({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ old: Price | null } | 'many' | null>(null);
  const [removed, setRemoved] = useState<Price | null>(null);
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'prices', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id: user.id } } }))).data,
  });
  const changed = () => void queries.invalidateQueries({ queryKey: ['users'] });
  const actions = useMemo(() => priceActions(user.id), [user.id]);
  const found = useMemo(() => matching(data ?? [], search), [data, search]);
  const close = () => setForm(null);
  return (
    <Panel
      title={t('users.prices.title')}
      aside={
        user.actions.editable && (
          <span className="record-actions">
            <Button icon="list" label={t('users.prices.many')} onClick={() => setForm('many')} />
            <Button icon="plus" label={t('users.prices.add')} onClick={() => setForm({ old: null })} />
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
          prices={found.slice(0, MOST)}
          empty={search ? t('table.nothingMatches') : t('users.prices.none')}
          mayEdit={user.actions.editable}
          onEdit={(old) => setForm({ old })}
          onRemove={setRemoved}
        />
      )}
      {found.length > MOST && <p className="none">{t('users.prices.more', { shown: count(found.length - MOST) })}</p>}
      {form === 'many' && <ManyPrices user={user} onClose={close} onChanged={changed} />}
      {form !== null && form !== 'many' && <PriceForm user={user} old={form.old} onClose={close} onChanged={changed} />}
      {removed && actions[0] && (
        <ActionDialog
          action={actions[0]}
          ids={[removed.id]}
          row={removed}
          onClose={() => setRemoved(null)}
          onDone={changed}
        />
      )}
    </Panel>
  );
}

function matching(prices: readonly Price[], search: string): readonly Price[] {
  const wanted = search.trim().toLowerCase();
  if (!wanted) return prices;
  return prices.filter(
    (price) => price.service.name.toLowerCase().includes(wanted) || String(price.service_id) === wanted,
  );
}

interface TableProps {
  prices: readonly Price[];
  empty: string;
  mayEdit: boolean;
  onEdit: (price: Price) => void;
  onRemove: (price: Price) => void;
}

function PriceTable({ prices, empty, mayEdit, onEdit, onRemove }: TableProps) {
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
          cell: (price) => (price.default_price ? <strong>{money(price.default_price)}</strong> : dash),
        },
        {
          title: t('users.prices.lowest'),
          align: 'end',
          cell: (price) => (price.min_price ? money(price.min_price) : dash),
        },
        {
          title: t('users.prices.everybodys'),
          align: 'end',
          cell: (price) => money(price.service_default_price),
        },
        { title: t('users.prices.per'), align: 'end', cell: (price) => count(price.pricing_per) },
        { title: t('users.prices.refill'), cell: (price) => <Flag on={price.has_refill} /> },
        { title: t('users.prices.auto'), cell: (price) => <Flag on={price.auto_refill_is_allowed} /> },
        { title: t('users.prices.updatedAt'), cell: (price) => <When at={price.updated_at} /> },
        ...(mayEdit
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
