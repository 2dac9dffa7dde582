// The screen with the system status: server, database, webhooks, external panels, quarantined records, queues, and the list of jobs.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { jobs } from '@/api/lists/jobs';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { ProblemBar } from '@/ui/Notice';
import { SimpleTable } from '@/ui/SimpleTable';
import { QueueName } from './QueueName';

type SystemStatusData = Schemas['SystemStatus'];
type Job = Schemas['JobRow'];

/** The counts and the jobs are refetched while the page is open, because they change all the time. */
const REFETCH_INTERVAL_MS = 10_000;

const RETRY_ACTION: Action<Job> = {
  name: 'retryJob',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.retry,
  ...createPerRecordRequests('POST', '/api/v1/admin/jobs/{id}/retry'),
};

const JOBS: List<Job> = defineList(jobs, {
  title: 'system.jobs.title',
  columns: {
    id: 90,
    kind: { width: 180, cell: (row) => <QueueName kind={row.kind} /> },
    about: 240,
    last_error: 320,
  },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: [RETRY_ACTION],
});

export default function SystemStatus() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'status'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/system/status', {}))).data,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('system.title')}</h1>
      </div>
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && <StatusCards status={data} />}
      <ServerTable list={JOBS} />
    </div>
  );
}

function StatusCards({ status }: { status: SystemStatusData }) {
  const { t } = useTranslation();
  const { database, webhooks, external_panels: externalPanels } = status;
  const webhookCounts = {
    active: formatNumber(webhooks.active),
    failing: formatNumber(webhooks.failing),
    disabled: formatNumber(webhooks.auto_disabled),
  };
  return (
    <>
      <div className="record-grid">
        <Card title={t('system.server')}>
          <DescriptionList
            rows={[
              [t('system.version'), status.version],
              [t('system.startedAt'), <DateTime key="since" time={status.started_at} />],
              [t('system.processes'), formatNumber(status.processes ?? 0)],
              [t('system.liveConnections'), formatNumber(status.sockets)],
              [t('system.backup'), <LastBackup key="backup" status={status} />],
              [t('system.lastDataCheck'), <LastDataCheck key="ledger" check={status.ledger_check} />],
            ]}
          />
        </Card>
        <Card title={t('system.database')}>
          <DescriptionList
            rows={[
              [
                t('system.database'),
                `${DATABASE_NAMES[database.kind] ?? database.kind}, ${formatMegabytes(database.bytes)}`,
              ],
              [t('system.migration'), database.migration],
              [t('system.connections'), formatNumber(database.connections_in_use)],
            ]}
          />
        </Card>
        <Card title={t('system.connectedSystems')}>
          <DescriptionList
            rows={[
              [t('system.webhooks'), t('system.webhookCounts', webhookCounts)],
              [
                t('system.panels'),
                t('system.panelCounts', {
                  active: formatNumber(externalPanels.active),
                  failing: formatNumber(externalPanels.failing),
                }),
              ],
            ]}
          />
        </Card>
        <Card title={t('system.quarantine')}>
          <div className="card-stack">
            <p className="none">{t('system.quarantineList.description')}</p>
            <Link href="/system-status/quarantine">
              {t('system.quarantineCounts', {
                quarantined: formatNumber(status.quarantine?.quarantined ?? 0),
                suspected: formatNumber(status.quarantine?.suspected ?? 0),
              })}
            </Link>
          </div>
        </Card>
      </div>
      <Card title={t('system.queues')}>
        <SimpleTable
          label={t('system.queues')}
          rows={status.queues}
          getRowKey={(queue) => queue.kind}
          emptyText="–"
          columns={[
            { title: t('system.queue.kind'), renderCell: (queue) => <QueueName kind={queue.kind} /> },
            { title: t('system.queue.waiting'), renderCell: (queue) => formatNumber(queue.waiting), align: 'end' },
            { title: t('system.queue.due'), renderCell: (queue) => formatNumber(queue.due), align: 'end' },
            { title: t('system.queue.running'), renderCell: (queue) => formatNumber(queue.running), align: 'end' },
            { title: t('system.queue.failing'), renderCell: (queue) => formatNumber(queue.failing), align: 'end' },
            { title: t('system.queue.givenUp'), renderCell: (queue) => formatNumber(queue.given_up), align: 'end' },
            { title: t('system.queue.oldestDue'), renderCell: (queue) => <DateTime time={queue.oldest_due_at} /> },
          ]}
        />
      </Card>
    </>
  );
}

const DATABASE_NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const formatMegabytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`;

function LastDataCheck({ check }: { check: SystemStatusData['ledger_check'] }) {
  const { t } = useTranslation();
  if (!check) return '–';
  const resultText = check.healthy
    ? t('system.checksPassed')
    : t('system.checksFailed', { checks: check.failed_checks.join(', ') });
  return (
    <>
      <DateTime time={check.checked_at} /> · {resultText}
    </>
  );
}

function LastBackup({ status }: { status: SystemStatusData }) {
  const { t } = useTranslation();
  return (
    <>
      <DateTime time={status.last_backup_at} />
      {status.backup_is_overdue && <> · {t('system.backupOverdue')}</>}
      {status.backup_error && <> · {t('system.backupFailed', { error: status.backup_error })}</>}
    </>
  );
}
