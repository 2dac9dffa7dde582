// Special offers: services and service types that stand out at a place of the panel.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import type { Column, List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Name } from '../Name';
import { OfferForm } from './OfferForm';
import { OfferTabs } from './tabs';
import { PLACES, POSITIONS } from './words';

type Row = Schemas['SpecialOfferRow'];

const PATH = '/api/v1/admin/special-offers';

const c = columnsOf<Row>('offers');

function Word({ texts, word }: { texts: 'offerPlace' | 'offerPosition'; word: string }) {
  const { t } = useTranslation();
  return t(`${texts}.${word}` as 'offerPlace.orders');
}

function columns(edit: (id: number) => void): readonly Column<Row>[] {
  return [
    c.id(76),
    c.text('name', 'name', 260, {
      cell: (row) => <Name row={row} onOpen={edit} />,
    }),
    c.named('network', 'network', 150),
    {
      name: 'place',
      label: 'offers.columns.place',
      width: 150,
      filter: { kind: 'words', words: PLACES, texts: 'offerPlace' },
      cell: (row) => <Word texts="offerPlace" word={row.place} />,
    },
    {
      name: 'position',
      label: 'offers.columns.position',
      width: 130,
      filter: { kind: 'words', words: POSITIONS, texts: 'offerPosition' },
      cell: (row) => <Word texts="offerPosition" word={row.position} />,
    },
    c.status('status', 'status', ['active', 'disabled', 'archived']),
    c.number('services_count', 'services', 100),
    c.number('service_types_count', 'types', 130),
    c.time('created_at', 'createdAt', { hidden: true }),
  ];
}

const ACTIONS: readonly Action<Row>[] = [
  {
    name: 'enableOffer',
    icon: 'eye',
    allows: (row) => row.actions.enable,
    ...eachOf('POST', `${PATH}/{id}/enable`),
  },
  {
    name: 'disableOffer',
    icon: 'eye-slash',
    allows: (row) => row.actions.disable,
    ...eachOf('POST', `${PATH}/{id}/disable`),
  },
  {
    name: 'archiveOffer',
    icon: 'inbox',
    allows: (row) => row.actions.archival,
    ...eachOf('POST', `${PATH}/{id}/archive`),
  },
  {
    name: 'unarchiveOffer',
    icon: 'replay',
    allows: (row) => row.actions.restore,
    ...eachOf('POST', `${PATH}/{id}/unarchive`),
  },
  {
    name: 'deleteOffer',
    icon: 'trash',
    tone: 'danger',
    allows: (row) => row.actions.deletable,
    ...eachOf('DELETE', `${PATH}/{id}`),
  },
];

export default function SpecialOffers() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const list = useMemo<List<Row>>(
    () => ({
      name: 'special-offers',
      title: 'offers.title',
      path: PATH,
      columns: columns(setEdited),
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
        tools={<Button look="filled" icon="plus" label={t('offers.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <OfferForm
          id={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['special-offers'] })}
        />
      )}
    </div>
  );
}
