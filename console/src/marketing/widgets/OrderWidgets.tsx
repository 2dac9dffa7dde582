// The list of order widgets, which other sites embed so that customers can order there.
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
  const queries = useQueryClient();
  // 'new' for a new widget, null if the dialog is closed.
  const [dialogWidgetId, setDialogWidgetId] = useState<number | 'new' | null>(null);
  const [embedDialogId, setEmbedDialogId] = useState<number | null>(null);
  const list = useMemo<List<WidgetRow>>(
    () =>
      defineList(orderWidgets, {
        title: 'widgets.title',
        columns: {
          id: 76,
          name: { width: 240, cell: (row) => <OpenFormButton row={row} onOpen={setDialogWidgetId} /> },
          'user.name': 190,
          is_outer: 110,
          minimum_purchase_amount: 130,
          reward_fraction: 110,
          api_token: {
            width: 150,
            cell: (row) => (row.is_outer ? <EmbedCodeButton onClick={() => setEmbedDialogId(row.id)} /> : '–'),
          },
        },
      }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/order-widgets" tabs={WIDGET_TABS} current="" />
      <ServerTable
        list={list}
        tools={
          <Button variant="filled" icon="plus" label={t('widgets.create')} onClick={() => setDialogWidgetId('new')} />
        }
      />
      {dialogWidgetId !== null && (
        <WidgetForm
          id={dialogWidgetId === 'new' ? null : dialogWidgetId}
          onClose={() => setDialogWidgetId(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['order-widgets'] })}
        />
      )}
      {embedDialogId !== null && <EmbedDialog id={embedDialogId} onClose={() => setEmbedDialogId(null)} />}
    </div>
  );
}
