// Special offers: services and service types that stand out at a place of the panel.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { specialOffers } from '@/api/lists/special-offers';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Name } from '../Name';
import { OfferForm } from './OfferForm';
import { OfferTabs } from './tabs';

type Row = Schemas['SpecialOfferRow'];

const PATH = '/api/v1/admin/special-offers';

const RESTORE: Action<Row> = {
  name: 'unarchiveOffer',
  icon: 'replay',
  allows: (row) => row.actions.restore,
  ...perRecordCalls('POST', `${PATH}/{id}/unarchive`),
};

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'enableOffer',
    icon: 'eye',
    allows: (row) => row.actions.enable,
    ...perRecordCalls('POST', `${PATH}/{id}/enable`),
  },
  {
    name: 'disableOffer',
    icon: 'eye-slash',
    allows: (row) => row.actions.disable,
    ...perRecordCalls('POST', `${PATH}/{id}/disable`),
  },
  {
    name: 'archiveOffer',
    icon: 'inbox',
    allows: (row) => row.actions.archival,
    ...perRecordCalls('POST', `${PATH}/{id}/archive`),
  },
  RESTORE,
  {
    name: 'deleteOffer',
    icon: 'trash',
    tone: 'danger',
    allows: (row) => row.actions.deletable,
    ...perRecordCalls('DELETE', `${PATH}/{id}`),
  },
];

export default function SpecialOffers() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () =>
      defineList(specialOffers, {
        title: 'offers.title',
        columns: {
          id: 76,
          name: { width: 260, cell: (row) => <Name row={row} onOpen={setEdited} /> },
          'network.name': 150,
          place: 150,
          services_count: 100,
          service_types_count: 130,
        },
        defaults: { status: 'active,disabled' },
        actions: ACTIONS,
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <OfferTabs now="" />
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('offers.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <OfferForm
          id={edited === 'new' ? null : edited}
          restore={RESTORE}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['special-offers'] })}
        />
      )}
    </div>
  );
}
