// The screen with the list of order widgets. Other sites embed a widget, so that customers can order on these sites.
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
import { OpenFormButton } from '../OpenFormButton';
import { EmbedDialog } from './EmbedDialog';
import { WIDGET_TABS } from './tabs';
import { WidgetForm } from './WidgetForm';

type WidgetRow = Schemas['OrderWidgetRow'];

function EmbedCodeButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return <Button variant="plain" icon="code" label={t('widgets.embedCode')} onClick={onClick} />;
}

export default function OrderWidgets() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The widget in the form. 'new' for a new widget, null if the form is closed.
  const [openWidgetId, setOpenWidgetId] = useState<number | 'new' | null>(null);
  const [embeddedWidgetId, setEmbeddedWidgetId] = useState<number | null>(null);
  const list = useMemo<List<WidgetRow>>(
    () =>
      defineList(orderWidgets, {
        title: 'widgets.title',
        columns: {
          id: 76,
          name: { width: 240, cell: (row) => <OpenFormButton row={row} onOpen={setOpenWidgetId} /> },
          'user.name': 190,
          is_outer: 110,
          minimum_purchase_amount: 130,
          reward_fraction: 110,
          api_token: {
            width: 150,
            cell: (row) => (row.is_outer ? <EmbedCodeButton onClick={() => setEmbeddedWidgetId(row.id)} /> : '–'),
          },
        },
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/order-widgets" tabs={WIDGET_TABS} currentTab="" />
      <ServerTable
        list={list}
        tools={
          <Button variant="filled" icon="plus" label={t('widgets.create')} onClick={() => setOpenWidgetId('new')} />
        }
      />
      {openWidgetId !== null && (
        <WidgetForm
          id={openWidgetId === 'new' ? null : openWidgetId}
          onClose={() => setOpenWidgetId(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['order-widgets'] })}
        />
      )}
      {embeddedWidgetId !== null && <EmbedDialog id={embeddedWidgetId} onClose={() => setEmbeddedWidgetId(null)} />}
    </div>
  );
}
