// The whole system on one page: the server, its database, what it talks to, quarantined work, its queues, and every job
// that is kept.
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

type Status = Schemas['SystemStatus'];
type Job = Schemas['JobRow'];

/** Jobs come and go while somebody looks. */
const EVERY_MS = 10_000;

const RETRY: Action<Job> = {
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
  refetchIntervalMs: EVERY_MS,
  actions: [RETRY],
});

export default function SystemStatus() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'status'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/system/status', {}))).data,
    refetchInterval: EVERY_MS,
  });
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('system.title')}</h1>
      </div>
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && <Shown status={data} />}
      <ServerTable list={JOBS} />
    </div>
  );
}

function Shown({ status }: { status: Status }) {
  const { t } = useTranslation();
  const { database, webhooks, external_panels: panels } = status;
  const counts = {
    active: formatNumber(webhooks.active),
    failing: formatNumber(webhooks.failing),
    off: formatNumber(webhooks.switched_off),
  };
  return (
    <>
      <div className="record-grid">
        <Card title={t('system.server')}>
          <DescriptionList
            rows={[
              [t('system.version'), status.version],
              [t('system.startedAt'), <DateTime key="since" at={status.started_at} />],
              [t('system.processes'), formatNumber(status.processes ?? 0)],
              [t('system.sockets'), formatNumber(status.sockets)],
              [t('system.backup'), <LastBackup key="backup" status={status} />],
              [t('system.ledger'), <Ledger key="ledger" check={status.ledger_check} />],
            ]}
          />
        </Card>
        <Card title={t('system.database')}>
          <DescriptionList
            rows={[
              [t('system.database'), `${NAMES[database.kind] ?? database.kind}, ${megabytes(database.bytes)}`],
              [t('system.migration'), database.migration],
              [t('system.connections'), formatNumber(database.connections_in_use)],
            ]}
          />
        </Card>
        <Card title={t('system.outside')}>
          <DescriptionList
            rows={[
              [t('system.webhooks'), t('system.webhookCounts', counts)],
              [
                t('system.panels'),
                t('system.panelCounts', { active: formatNumber(panels.active), failing: formatNumber(panels.failing) }),
              ],
            ]}
          />
        </Card>
        <Card title={t('system.quarantine')}>
          <div className="card-stack">
            <p className="none">{t('system.quarantineList.about')}</p>
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
            { title: t('system.queue.oldest'), cell: (queue) => <DateTime at={queue.oldest_due_at} /> },
          ]}
        />
      </Card>
    </>
  );
}

const NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const megabytes = (bytes: number) => `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`;

function Ledger({ check }: { check: Status['ledger_check'] }) {
  const { t } = useTranslation();
  if (!check) return '–';
  const said = check.healthy ? t('system.healthy') : t('system.broken', { checks: check.broken.join(', ') });
  return (
    <>
      <DateTime at={check.checked_at} /> · {said}
    </>
  );
}

function LastBackup({ status }: { status: Status }) {
  const { t } = useTranslation();
  return (
    <>
      <DateTime at={status.last_backup_at} />
      {status.backup_is_overdue && <> · {t('system.backupOverdue')}</>}
      {status.backup_error && <> · {t('system.backupFailed', { error: status.backup_error })}</>}
    </>
  );
}
