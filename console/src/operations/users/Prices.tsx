// The custom prices and service settings of a customer.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatMoney, formatNumber } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { SimpleTable } from '@/ui/SimpleTable';
import { createRemovePriceAction } from './actions';
import { BulkPricesForm, PriceForm } from './priceForms';

type CustomPrice = Schemas['UserService'];
type User = Schemas['User'];

/** The maximum number of rows in the table. Staff can search for the other prices. */
const MAX_ROWS = 200;
const MAX_PRICES_WITHOUT_SEARCH = 10;

export function Prices({ user }: { user: User }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The price in the dialog; 'new' for a new price, 'bulk' for the dialog with many prices, null if no dialog is open.
  const [dialogPrice, setDialogPrice] = useState<CustomPrice | 'new' | 'bulk' | null>(null);
  const [priceToRemove, setPriceToRemove] = useState<CustomPrice | null>(null);
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'prices', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id: user.id } } }))).data,
  });
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['users'] });
  const removeAction = useMemo(() => createRemovePriceAction(user.id), [user.id]);
  const matchingPrices = useMemo(() => filterPrices(data ?? [], search), [data, search]);
  const closeDialog = () => setDialogPrice(null);
  return (
    <Card
      title={t('users.prices.title')}
      headerActions={
        user.actions.editable && (
          <span className="record-actions">
            <Button icon="list" label={t('users.prices.setMultiple')} onClick={() => setDialogPrice('bulk')} />
            <Button icon="plus" label={t('users.prices.add')} onClick={() => setDialogPrice('new')} />
          </span>
        )
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && data.length > MAX_PRICES_WITHOUT_SEARCH && (
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
          prices={matchingPrices.slice(0, MAX_ROWS)}
          emptyText={search ? t('table.noMatches') : t('users.prices.noPrices')}
          canEdit={user.actions.editable}
          onEdit={setDialogPrice}
          onRemove={setPriceToRemove}
        />
      )}
      {matchingPrices.length > MAX_ROWS && (
        <p className="none">
          {t('users.prices.moreNotShown', { formattedCount: formatNumber(matchingPrices.length - MAX_ROWS) })}
        </p>
      )}
      {dialogPrice === 'bulk' && <BulkPricesForm user={user} onClose={closeDialog} onChanged={refresh} />}
      {dialogPrice !== null && dialogPrice !== 'bulk' && (
        <PriceForm
          user={user}
          price={dialogPrice === 'new' ? null : dialogPrice}
          onClose={closeDialog}
          onChanged={refresh}
        />
      )}
      {priceToRemove && (
        <ActionDialog
          action={removeAction}
          ids={[priceToRemove.id]}
          row={priceToRemove}
          onClose={() => setPriceToRemove(null)}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

function filterPrices(prices: readonly CustomPrice[], search: string): readonly CustomPrice[] {
  const searchTerm = search.trim().toLowerCase();
  if (!searchTerm) return prices;
  return prices.filter(
    (price) => price.service.name.toLowerCase().includes(searchTerm) || String(price.service_id) === searchTerm,
  );
}

interface PriceTableProps {
  prices: readonly CustomPrice[];
  emptyText: string;
  canEdit: boolean;
  onEdit: (price: CustomPrice) => void;
  onRemove: (price: CustomPrice) => void;
}

function PriceTable({ prices, emptyText, canEdit, onEdit, onRemove }: PriceTableProps) {
  const { t } = useTranslation();
  const emptyCell = <span className="none">–</span>;
  return (
    <SimpleTable
      label={t('users.prices.title')}
      rows={prices}
      getRowKey={(price) => price.id}
      emptyText={emptyText}
      columns={[
        { title: t('services.columns.id'), renderCell: (price) => price.service_id },
        { title: t('users.prices.service'), renderCell: (price) => price.service.name },
        {
          title: t('users.prices.price'),
          align: 'end',
          renderCell: (price) =>
            price.default_price ? <strong>{formatMoney(price.default_price)}</strong> : emptyCell,
        },
        {
          title: t('users.prices.minPrice'),
          align: 'end',
          renderCell: (price) => (price.min_price ? formatMoney(price.min_price) : emptyCell),
        },
        {
          title: t('users.prices.listPrice'),
          align: 'end',
          renderCell: (price) => formatMoney(price.service_default_price),
        },
        { title: t('users.prices.pricingPer'), align: 'end', renderCell: (price) => formatNumber(price.pricing_per) },
        { title: t('users.prices.refillColumn'), renderCell: (price) => <BooleanText value={price.has_refill} /> },
        {
          title: t('users.prices.autoRefillColumn'),
          renderCell: (price) => <BooleanText value={price.auto_refill_is_allowed} />,
        },
        { title: t('users.prices.updatedAt'), renderCell: (price) => <DateTime time={price.updated_at} /> },
        ...(canEdit
          ? [
              {
                title: '',
                align: 'end' as const,
                renderCell: (price: CustomPrice) => (
                  <RowButtons
                    editButton={{
                      label: t('users.prices.edit', { name: price.service.name }),
                      onClick: () => onEdit(price),
                    }}
                    deleteButton={{
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
