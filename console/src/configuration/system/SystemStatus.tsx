// The whole system on one page: the server, its database, what it talks to, quarantined work, its queues, and every job
// that is kept.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { jobs } from '@/api/lists/jobs';
import { asProblem } from '@/api/problem';
import { count } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Facts, Panel, SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { When } from '@/ui/When';
import { QueueName } from './QueueName';

type Status = Schemas['SystemStatus'];
type Job = Schemas['JobRow'];

/** Jobs come and go while somebody looks. */
const EVERY_MS = 10_000;

const RETRY: Action<Job> = {
  name: 'retryJob',
  icon: 'replay',
  allows: (row) => row.actions.retry,
  ...eachOf('POST', '/api/v1/admin/jobs/{id}/retry'),
};

const JOBS: List<Job> = listOf(jobs, {
  title: 'system.jobs.title',
  columns: {
    id: 90,
    kind: { width: 180, cell: (row) => <QueueName kind={row.kind} /> },
    about: 240,
    last_error: 320,
  },
  everyMs: EVERY_MS,
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
    active: count(webhooks.active),
    failing: count(webhooks.failing),
    off: count(webhooks.switched_off),
  };
  return (
    <>
      <div className="record-grid">
        <Panel title={t('system.server')}>
          <Facts
            rows={[
              [t('system.version'), status.version],
              [t('system.startedAt'), <When key="since" at={status.started_at} />],
              [t('system.processes'), count(status.processes ?? 0)],
              [t('system.sockets'), count(status.sockets)],
              [t('system.backup'), <LastBackup key="backup" status={status} />],
              [t('system.ledger'), <Ledger key="ledger" check={status.ledger_check} />],
            ]}
          />
        </Panel>
        <Panel title={t('system.database')}>
          <Facts
            rows={[
              [t('system.database'), `${NAMES[database.kind] ?? database.kind}, ${megabytes(database.bytes)}`],
              [t('system.migration'), database.migration],
              [t('system.connections'), count(database.connections_in_use)],
            ]}
          />
        </Panel>
        <Panel title={t('system.outside')}>
          <Facts
            rows={[
              [t('system.webhooks'), t('system.webhookCounts', counts)],
              [
                t('system.panels'),
                t('system.panelCounts', { active: count(panels.active), failing: count(panels.failing) }),
              ],
            ]}
          />
        </Panel>
        <Panel title={t('system.quarantine')}>
          <div className="card-stack">
            <p className="none">{t('system.quarantineList.about')}</p>
            <Link href="/system-status/quarantine">
              {t('system.quarantineCounts', {
                quarantined: count(status.quarantine?.quarantined ?? 0),
                suspected: count(status.quarantine?.suspected ?? 0),
              })}
            </Link>
          </div>
        </Panel>
      </div>
      <Panel title={t('system.queues')}>
        <SmallTable
          label={t('system.queues')}
          rows={status.queues}
          rowKey={(queue) => queue.kind}
          empty="–"
          columns={[
            { title: t('system.queue.kind'), cell: (queue) => <QueueName kind={queue.kind} /> },
            { title: t('system.queue.waiting'), cell: (queue) => count(queue.waiting), align: 'end' },
            { title: t('system.queue.due'), cell: (queue) => count(queue.due), align: 'end' },
            { title: t('system.queue.running'), cell: (queue) => count(queue.running), align: 'end' },
            { title: t('system.queue.failing'), cell: (queue) => count(queue.failing), align: 'end' },
            { title: t('system.queue.givenUp'), cell: (queue) => count(queue.given_up), align: 'end' },
            { title: t('system.queue.oldest'), cell: (queue) => <When at={queue.oldest_due_at} /> },
          ]}
        />
      </Panel>
    </>
  );
}

const NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const megabytes = (bytes: number) => `${count(Math.ceil(bytes / 1_000_000))} MB`;

function Ledger({ check }: { check: Status['ledger_check'] }) {
  const { t } = useTranslation();
  if (!check) return '–';
  const said = check.healthy ? t('system.healthy') : t('system.broken', { checks: check.broken.join(', ') });
  return (
    <>
      <When at={check.checked_at} /> · {said}
    </>
  );
}

function LastBackup({ status }: { status: Status }) {
  const { t } = useTranslation();
  return (
    <>
      <When at={status.last_backup_at} />
      {status.backup_is_overdue && <> · {t('system.backupOverdue')}</>}
      {status.backup_error && <> · {t('system.backupFailed', { error: status.backup_error })}</>}
    </>
  );
}
