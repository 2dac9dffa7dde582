// When a panel was asked what it sells, and what came of it.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { syncRuns } from '@/api/lists/sync-runs';
import { withIdempotencyKey } from '@/api/writeOptions';
import { useSubmit } from '@/form/useSubmit';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';

type Row = Schemas['SyncRunRow'];

const RUNS: List<Row> = defineList(syncRuns, {
  title: 'syncRuns.title',
  columns: {
    id: 76,
    services_count: 100,
    applied_count: 100,
    imported_count: 100,
    not_imported_count: 120,
    error: 320,
    unreadable_count: 110,
  },
  refetchIntervalMs: 10_000,
});

/** A tab of a panel's page. */
export function PanelRuns({ id }: { id: number }) {
  return <ServerTable list={scopeToRecord(RUNS, { 'external_panel.id': String(id) })} tools={<SyncNow id={id} />} />;
}

function SyncNow({ id }: { id: number }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: (_, key) =>
      unwrap(
        api.POST('/api/v1/admin/external-panels/{id}/sync', { params: { path: { id } }, ...withIdempotencyKey(key) }),
      ),
    success: t('syncRuns.asked'),
    invalidates: [['sync-runs']],
    showProblemAs: 'toast',
  });
  return <Button icon="sync" label={t('syncRuns.now')} busy={isPending} onClick={() => void submit()} />;
}
