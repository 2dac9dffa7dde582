// The orders list, and the order that staff place for a customer.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Redirect, useSearch } from 'wouter';
import { useMay } from '@/session/hooks';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ORDERS } from './declaration';
import { KINDS } from './Kinds';
import { PlaceForm } from './PlaceForm';

export default function Orders() {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const [placing, setPlacing] = useState(false);
  const said = new URLSearchParams(useSearch());
  // The specification's links name a kind of order and its id; the list knows them as filters.
  const kind = KINDS.find((kind) => kind === said.get('type'));
  if (kind) return <Redirect to={`/orders?${kind}_id=${said.get('id') ?? ''}`} replace />;
  return (
    <>
      <ServerTable
        list={ORDERS}
        tools={
          may('manage orders') && <Button icon="plus" label={t('orders.place.open')} onClick={() => setPlacing(true)} />
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
