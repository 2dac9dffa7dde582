// When a panel was asked what it sells, and what came of it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { type Column, type List, within } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { toast } from '@/ui/toasts';

type Row = Schemas['SyncRunRow'];

const of = columnsOf<Row>('syncRuns');
const HIDDEN = { hidden: true } as const;

const COLUMNS: readonly Column<Row>[] = [
  of.id(76),
  of.time('started_at', 'startedAt'),
  of.record('panel', 'external_panel', 'panel', 160),
  of.number('services_count', 'services', 100),
  of.number('new_count', 'fresh', 90),
  of.number('gone_count', 'gone', 90),
  of.number('applied_count', 'applied', 100),
  of.number('held_count', 'held', 90),
  of.number('imported_count', 'imported', 100),
  of.number('not_imported_count', 'notImported', 120),
  of.text('error', 'error', 320),
  of.number('unreadable_count', 'unreadable', 110, HIDDEN),
  of.time('ended_at', 'endedAt', HIDDEN),
];

const RUNS: List<Row> = {
  name: 'sync-runs',
  title: 'syncRuns.title',
  path: '/api/v1/admin/external-panels/sync-runs',
  columns: COLUMNS,
  everyMs: 10_000,
};

/** A tab of a panel's page. */
export function PanelRuns({ id }: { id: number }) {
  return <ServerTable list={within(RUNS, { 'external_panel.id': String(id) })} tools={<SyncNow id={id} />} />;
}

function SyncNow({ id }: { id: number }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    try {
      await told(api.POST('/api/v1/admin/external-panels/{id}/sync', { params: { path: { id } } }));
      toast({ tone: 'success', text: t('syncRuns.asked') });
      await queries.invalidateQueries({ queryKey: ['sync-runs'] });
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    }
    setBusy(false);
  };
  return <Button icon="sync" label={t('syncRuns.now')} busy={busy} onClick={() => void ask()} />;
}
