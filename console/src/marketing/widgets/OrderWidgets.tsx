// Order widgets: through which orders come in from other pages.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { orderWidgets } from '@/api/lists/order-widgets';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Tabs } from '@/ui/Tabs';
import { Name } from '../Name';
import { EmbedDialog } from './EmbedDialog';
import { TABS } from './tabs';
import { WidgetForm } from './WidgetForm';

type Row = Schemas['OrderWidgetRow'];

function Snippet({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return <Button variant="plain" icon="code" label={t('widgets.snippet')} onClick={onClick} />;
}

export default function OrderWidgets() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const [embedded, setEmbedded] = useState<number | null>(null);
  const list = useMemo<List<Row>>(
    () =>
      defineList(orderWidgets, {
        title: 'widgets.title',
        columns: {
          id: 76,
          name: { width: 240, cell: (row) => <Name row={row} onOpen={setEdited} /> },
          'user.name': 190,
          is_outer: 110,
          minimum_purchase_amount: 130,
          reward_percent: 110,
          api_token: {
            width: 150,
            cell: (row) => (row.is_outer ? <Snippet onClick={() => setEmbedded(row.id)} /> : '–'),
          },
        },
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs base="/order-widgets" tabs={TABS} current="" />
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('widgets.create')} onClick={() => setEdited('new')} />}
      />
      {edited !== null && (
        <WidgetForm
          id={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['order-widgets'] })}
        />
      )}
      {embedded !== null && <EmbedDialog id={embedded} onClose={() => setEmbedded(null)} />}
    </div>
  );
}
