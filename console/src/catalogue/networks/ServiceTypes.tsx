// The service types as a list.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useMay } from '@/session/hooks';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { CatalogueTabs } from '../Tabs';
import { TypeForm } from './forms';

type Row = Schemas['ServiceTypeRow'];

const c = columnsOf<Row>('serviceTypes');

/** The networks that the address check knows. */
const BRANDS = [
  'Youtube',
  'Instagram',
  'Tiktok',
  'Facebook',
  'Twitter',
  'Telegram',
  'Spotify',
  'Soundcloud',
  'Twitch',
  'Discord',
  'Linkedin',
  'Pinterest',
  'Reddit',
  'Threads',
  'Vk',
  'Website',
  'Other',
] as const satisfies readonly Row['type'][];

const columns = (edit: (row: Row) => void, manages: boolean): readonly Column<Row>[] => [
  c.id(80),
  c.text('name', 'name', 220, {
    ...(manages && {
      cell: (row: Row) => (
        <button type="button" className="link" onClick={() => edit(row)}>
          {row.name}
        </button>
      ),
    }),
  }),
  c.named('network', 'network', 160),
  {
    name: 'type',
    label: 'serviceTypes.columns.type',
    width: 120,
    filter: { kind: 'words', words: BRANDS },
    cell: (row) => row.type,
  },
  c.text('slug', 'slug', 160),
  c.text('title', 'title', 220, { hidden: true }),
  c.number('services_count', 'services', 110),
  c.number('sorting', 'place'),
  c.number('reviews_count', 'reviewsCount', 110),
  {
    name: 'reviews_rating',
    label: 'serviceTypes.columns.reviewsRating',
    width: 100,
    align: 'end',
    filter: { kind: 'money' },
    cell: (row) => row.reviews_rating,
  },
  c.time('created_at', 'createdAt', { hidden: true }),
];

export default function ServiceTypes() {
  const { t } = useTranslation();
  const manages = useMay()('manage service types');
  const [open, setOpen] = useState<{ id: number | null; network: number | null } | null>(null);
  const [list] = useState<List<Row>>(() => ({
    name: 'service-types',
    title: 'serviceTypes.title',
    path: '/api/v1/admin/service-types',
    columns: columns((row) => setOpen({ id: row.id, network: row.network.id }), manages),
  }));
  const tools = manages && (
    <Button icon="plus" label={t('serviceTypes.create')} onClick={() => setOpen({ id: null, network: null })} />
  );
  return (
    <div className="with-tabs">
      <CatalogueTabs now="types" />
      <ServerTable list={list} tools={tools} />
      {open && <TypeForm {...open} onClose={() => setOpen(null)} />}
    </div>
  );
}
