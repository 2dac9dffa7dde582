// The service types as a list.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { serviceTypes } from '@/api/lists/service-types';
import { useMay } from '@/session/hooks';
import type { List } from '@/table/declare';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { CatalogueTabs } from '../Tabs';
import { TypeForm } from './forms';

type Row = Schemas['ServiceTypeRow'];

export default function ServiceTypes() {
  const { t } = useTranslation();
  const manages = useMay()('manage service types');
  const [open, setOpen] = useState<{ id: number | null; network: number | null } | null>(null);
  const [list] = useState<List<Row>>(() =>
    listOf(serviceTypes, {
      title: 'serviceTypes.title',
      columns: {
        name: {
          width: 220,
          ...(manages && {
            cell: (row: Row) => (
              <button type="button" className="link" onClick={() => setOpen({ id: row.id, network: row.network.id })}>
                {row.name}
              </button>
            ),
          }),
        },
        'network.name': 160,
        type: 120,
        slug: 160,
        title: 220,
        services_count: 110,
        reviews_count: 110,
        reviews_rating: { cell: (row) => row.reviews_rating, filter: { kind: 'money' } },
      },
    }),
  );
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
