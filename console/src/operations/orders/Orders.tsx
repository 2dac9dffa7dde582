// The list of orders, and the dialog that places an order for a customer.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redirect, useSearch } from 'wouter';
import { useHasPermission } from '@/session/hooks';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ORIGIN_KINDS } from './OrderOrigin';
import { ORDER_LIST } from './orderList';
import { PlaceOrderForm } from './PlaceOrderForm';

export default function Orders() {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  const [isPlacing, setIsPlacing] = useState(false);
  const query = new URLSearchParams(useSearch());
  // The specification defines links such as `/orders?type=subscription&id=7`, which are redirected to the filters of the list.
  const originKind = ORIGIN_KINDS.find((kind) => kind === query.get('type'));
  if (originKind) return <Redirect to={`/orders?${originKind}_id=${query.get('id') ?? ''}`} replace />;
  return (
    <>
      <ServerTable
        list={ORDER_LIST}
        tools={
          hasPermission('manage orders') && (
            <Button icon="plus" label={t('orders.place.newOrder')} onClick={() => setIsPlacing(true)} />
          )
        }
      />
      {isPlacing && (
        <PlaceOrderForm
          onClose={() => setIsPlacing(false)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: [ORDER_LIST.name] })}
        />
      )}
    </>
  );
}
