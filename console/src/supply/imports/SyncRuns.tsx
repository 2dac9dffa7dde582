// The syncs of an external panel. Each sync fetches the external panel's services, applies changes, and imports the new services
// that match the import rule.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { syncRuns } from '@/api/lists/sync-runs';
import { withIdempotencyKey } from '@/api/writeOptions';
import { useSubmit } from '@/form/useSubmit';
import { defineList } from '@/table/defineList';
import { type List, scopeToRecord } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';

type SyncRunRow = Schemas['SyncRunRow'];

const SYNC_RUNS: List<SyncRunRow> = defineList(syncRuns, {
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

/** The tab with the syncs of one external panel. */
export function PanelSyncRuns({ id }: { id: number }) {
  const list = scopeToRecord(SYNC_RUNS, { 'external_panel.id': String(id) });
  return <ServerTable list={list} tools={<SyncNowButton externalPanelId={id} />} />;
}

function SyncNowButton({ externalPanelId }: { externalPanelId: number }) {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: (_, idempotencyKey) =>
      unwrap(
        api.POST('/api/v1/admin/external-panels/{id}/sync', {
          params: { path: { id: externalPanelId } },
          ...withIdempotencyKey(idempotencyKey),
        }),
      ),
    successMessage: t('syncRuns.started'),
    invalidatedQueries: [['sync-runs']],
    showProblemAs: 'toast',
  });
  return <Button icon="sync" label={t('syncRuns.syncNow')} busy={isPending} onClick={() => void submit()} />;
}
