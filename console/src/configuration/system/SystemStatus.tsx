// The system status: server, database, webhooks and external panels, quarantined records, queues, and the list of jobs.
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
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Card, DescriptionList, SmallTable } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { QueueName } from './QueueName';

type SystemStatusData = Schemas['SystemStatus'];
type Job = Schemas['JobRow'];

/** The counts and the jobs change while the page is open. */
const REFETCH_INTERVAL_MS = 10_000;

const RETRY_ACTION: Action<Job> = {
  name: 'retryJob',
  icon: 'replay',
  allows: (row) => row.actions.retry,
  ...perRecordCalls('POST', '/api/v1/admin/jobs/{id}/retry'),
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
  const { database, webhooks, external_panels: panels } = status;
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
              [t('system.ledger'), <LedgerCheck key="ledger" check={status.ledger_check} />],
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
                t('system.panelCounts', { active: formatNumber(panels.active), failing: formatNumber(panels.failing) }),
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
        <SmallTable
          label={t('system.queues')}
          rows={status.queues}
          rowKey={(queue) => queue.kind}
          empty="–"
          columns={[
            { title: t('system.queue.kind'), cell: (queue) => <QueueName kind={queue.kind} /> },
            { title: t('system.queue.waiting'), cell: (queue) => formatNumber(queue.waiting), align: 'end' },
            { title: t('system.queue.due'), cell: (queue) => formatNumber(queue.due), align: 'end' },
            { title: t('system.queue.running'), cell: (queue) => formatNumber(queue.running), align: 'end' },
            { title: t('system.queue.failing'), cell: (queue) => formatNumber(queue.failing), align: 'end' },
            { title: t('system.queue.givenUp'), cell: (queue) => formatNumber(queue.given_up), align: 'end' },
            { title: t('system.queue.oldestDue'), cell: (queue) => <DateTime time={queue.oldest_due_at} /> },
          ]}
        />
      </Card>
    </>
  );
}

const DATABASE_NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const formatMegabytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`;

function LedgerCheck({ check }: { check: SystemStatusData['ledger_check'] }) {
  const { t } = useTranslation();
  if (!check) return '–';
  const result = check.healthy
    ? t('system.checksPassed')
    : t('system.checksFailed', { checks: check.broken.join(', ') });
  return (
    <>
      <DateTime time={check.checked_at} /> · {result}
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
