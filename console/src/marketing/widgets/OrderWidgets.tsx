// Order widgets: through which orders come in from other pages.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { money, percent } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { percentOf } from '@/ui/fraction';
import { Tabs } from '@/ui/Tabs';
import { Name } from '../Name';
import { EmbedDialog } from './EmbedDialog';
import { TABS } from './tabs';
import { WidgetForm } from './WidgetForm';

type Row = Schemas['OrderWidgetRow'];

const c = columnsOf<Row>('widgets');

function columns(edit: (id: number) => void, embed: (id: number) => void): readonly Column<Row>[] {
  return [
    c.id(76),
    c.text('name', 'name', 240, { cell: (row) => <Name row={row} onOpen={edit} /> }),
    c.person('user', 'owner', 190),
    c.flag('is_outer', 'outer', 110),
    c.money('minimum_purchase_amount', 'least', 130, {
      cell: (row) => (row.minimum_purchase_amount == null ? '–' : money(row.minimum_purchase_amount)),
    }),
    {
      name: 'reward_percent',
      label: 'widgets.columns.reward',
      width: 110,
      align: 'end',
      filter: { kind: 'share' },
      cell: (row) => percent(percentOf(row.reward_percent)),
    },
    c.time('created_at', 'createdAt'),
    {
      name: 'api_token',
      label: 'widgets.columns.embed',
      width: 150,
      filter: { kind: 'text' },
      cell: (row) => (row.is_outer ? <Snippet onClick={() => embed(row.id)} /> : '–'),
    },
  ];
}

function Snippet({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return <Button look="plain" icon="code" label={t('widgets.snippet')} onClick={onClick} />;
}

export default function OrderWidgets() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | 'new' | null>(null);
  const [embedded, setEmbedded] = useState<number | null>(null);
  const list = useMemo<List<Row>>(
    () => ({
      name: 'order-widgets',
      title: 'widgets.title',
      path: '/api/v1/admin/order-widgets',
      columns: columns(setEdited, setEmbedded),
    }),
    [],
  );
  return (
    <div className="with-tabs">
      <Tabs base="/order-widgets" tabs={TABS} now="" />
      <ServerTable
        list={list}
        tools={<Button look="filled" icon="plus" label={t('widgets.create')} onClick={() => setEdited('new')} />}
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
