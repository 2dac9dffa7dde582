// The screen with the list of service types.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { serviceTypes } from '@/api/lists/service-types';
import { useHasPermission } from '@/session/hooks';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { CatalogueTabs } from '../Tabs';
import { ServiceTypeForm } from './forms';

type ServiceTypeRow = Schemas['ServiceTypeRow'];

export default function ServiceTypes() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage service types');
  const [openForm, setOpenForm] = useState<{ id: number | null; networkId: number | null } | null>(null);
  const [list] = useState<List<ServiceTypeRow>>(() =>
    defineList(serviceTypes, {
      title: 'serviceTypes.title',
      columns: {
        name: {
          width: 220,
          ...(canManage && {
            cell: (row: ServiceTypeRow) => (
              <button
                type="button"
                className="link"
                onClick={() => setOpenForm({ id: row.id, networkId: row.network.id })}
              >
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
  const tools = canManage && (
    <Button icon="plus" label={t('serviceTypes.create')} onClick={() => setOpenForm({ id: null, networkId: null })} />
  );
  return (
    <div className="with-tabs">
      <CatalogueTabs current="types" />
      <ServerTable list={list} tools={tools} />
      {openForm && <ServiceTypeForm {...openForm} onClose={() => setOpenForm(null)} />}
    </div>
  );
}
