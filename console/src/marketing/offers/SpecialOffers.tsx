// The list of special offers: services and service types that the panel highlights on one of its pages.
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
import { OpenFormButton } from '../OpenFormButton';
import { OfferForm } from './OfferForm';
import { OfferTabs } from './tabs';

type OfferRow = Schemas['SpecialOfferRow'];

const OFFERS_PATH = '/api/v1/admin/special-offers';

const RESTORE_ACTION: Action<OfferRow> = {
  name: 'unarchiveOffer',
  icon: 'replay',
  allows: (row) => row.actions.restore,
  ...perRecordCalls('POST', `${OFFERS_PATH}/{id}/unarchive`),
};

const OFFER_ACTIONS: readonly Action<OfferRow>[] = [
  {
    name: 'enableOffer',
    icon: 'eye',
    allows: (row) => row.actions.enable,
    ...perRecordCalls('POST', `${OFFERS_PATH}/{id}/enable`),
  },
  {
    name: 'disableOffer',
    icon: 'eye-slash',
    allows: (row) => row.actions.disable,
    ...perRecordCalls('POST', `${OFFERS_PATH}/{id}/disable`),
  },
  {
    name: 'archiveOffer',
    icon: 'inbox',
    allows: (row) => row.actions.archival,
    ...perRecordCalls('POST', `${OFFERS_PATH}/{id}/archive`),
  },
  RESTORE_ACTION,
  {
    name: 'deleteOffer',
    icon: 'trash',
    tone: 'danger',
    allows: (row) => row.actions.deletable,
    ...perRecordCalls('DELETE', `${OFFERS_PATH}/{id}`),
  },
];

export default function SpecialOffers() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // 'new' for a new offer, null if the dialog is closed.
  const [dialogOfferId, setDialogOfferId] = useState<number | 'new' | null>(null);
  const list = useMemo<List<OfferRow>>(
    () =>
      defineList(specialOffers, {
        title: 'offers.title',
        columns: {
          id: 76,
          name: { width: 260, cell: (row) => <OpenFormButton row={row} onOpen={setDialogOfferId} /> },
          'network.name': 150,
          place: 150,
          services_count: 100,
          service_types_count: 130,
        },
        defaultFilters: { status: 'active,disabled' },
        actions: OFFER_ACTIONS,
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <OfferTabs currentTab="" />
      <ServerTable
        list={list}
        tools={
          <Button variant="filled" icon="plus" label={t('offers.create')} onClick={() => setDialogOfferId('new')} />
        }
      />
      {dialogOfferId !== null && (
        <OfferForm
          id={dialogOfferId === 'new' ? null : dialogOfferId}
          restoreAction={RESTORE_ACTION}
          onClose={() => setDialogOfferId(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['special-offers'] })}
        />
      )}
    </div>
  );
}
