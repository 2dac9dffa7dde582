// The list of orders, and the dialog that places an order for a customer.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redirect, useSearch } from 'wouter';
import { useHasPermission } from '@/session/hooks';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ORDERS } from './declaration';
import { ORIGIN_KINDS } from './OrderOrigin';
import { PlaceForm } from './PlaceForm';

export default function Orders() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queries = useQueryClient();
  const [isPlacing, setIsPlacing] = useState(false);
  const query = new URLSearchParams(useSearch());
  // The specification defines links such as `/orders?type=subscription&id=7`. They are redirected to the filters of the list.
  const kind = ORIGIN_KINDS.find((kind) => kind === query.get('type'));
  if (kind) return <Redirect to={`/orders?${kind}_id=${query.get('id') ?? ''}`} replace />;
  return (
    <>
      <ServerTable
        list={ORDERS}
        tools={
          hasPermission('manage orders') && (
            <Button icon="plus" label={t('orders.place.newOrder')} onClick={() => setIsPlacing(true)} />
          )
        }
      />
      {isPlacing && (
        <PlaceForm
          onClose={() => setIsPlacing(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: [ORDERS.name] })}
        />
      )}
    </>
  );
}
