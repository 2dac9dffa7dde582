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
  const [placing, setPlacing] = useState(false);
  const params = new URLSearchParams(useSearch());
  // Links of the specification have `type` and `id` in the query string. They are redirected to filters of the list.
  const kind = ORIGIN_KINDS.find((kind) => kind === params.get('type'));
  if (kind) return <Redirect to={`/orders?${kind}_id=${params.get('id') ?? ''}`} replace />;
  return (
    <>
      <ServerTable
        list={ORDERS}
        tools={
          hasPermission('manage orders') && (
            <Button icon="plus" label={t('orders.place.open')} onClick={() => setPlacing(true)} />
          )
        }
      />
      {placing && (
        <PlaceForm
          onClose={() => setPlacing(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: [ORDERS.name] })}
        />
      )}
    </>
  );
}
