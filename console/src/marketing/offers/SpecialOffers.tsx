// The screen with the list of special offers. A special offer highlights services and service types on a page of the customer site.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { specialOffers } from '@/api/lists/special-offers';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
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
  isAllowedFor: (row) => row.actions.restore,
  ...createPerRecordRequests('POST', `${OFFERS_PATH}/{id}/unarchive`),
};

const OFFER_ACTIONS: readonly Action<OfferRow>[] = [
  {
    name: 'enableOffer',
    icon: 'eye',
    isAllowedFor: (row) => row.actions.enable,
    ...createPerRecordRequests('POST', `${OFFERS_PATH}/{id}/enable`),
  },
  {
    name: 'disableOffer',
    icon: 'eye-slash',
    isAllowedFor: (row) => row.actions.disable,
    ...createPerRecordRequests('POST', `${OFFERS_PATH}/{id}/disable`),
  },
  {
    name: 'archiveOffer',
    icon: 'inbox',
    isAllowedFor: (row) => row.actions.archival,
    ...createPerRecordRequests('POST', `${OFFERS_PATH}/{id}/archive`),
  },
  RESTORE_ACTION,
  {
    name: 'deleteOffer',
    icon: 'trash',
    tone: 'danger',
    isAllowedFor: (row) => row.actions.deletable,
    ...createPerRecordRequests('DELETE', `${OFFERS_PATH}/{id}`),
  },
];

export default function SpecialOffers() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The offer in the form. 'new' for a new offer, null if the form is closed.
  const [openOfferId, setOpenOfferId] = useState<number | 'new' | null>(null);
  const list = useMemo<List<OfferRow>>(
    () =>
      defineList(specialOffers, {
        title: 'offers.title',
        columns: {
          id: 76,
          name: { width: 260, cell: (row) => <OpenFormButton row={row} onOpen={setOpenOfferId} /> },
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
        tools={<Button variant="filled" icon="plus" label={t('offers.create')} onClick={() => setOpenOfferId('new')} />}
      />
      {openOfferId !== null && (
        <OfferForm
          id={openOfferId === 'new' ? null : openOfferId}
          restoreAction={RESTORE_ACTION}
          onClose={() => setOpenOfferId(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['special-offers'] })}
        />
      )}
    </div>
  );
}
