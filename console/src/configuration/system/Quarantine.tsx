// Background work that ended the server's process: what waits for a person, and its release once the cause is fixed.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { StatusTag } from '@/ui/StatusTag';
import { QueueName } from './QueueName';

type Row = Schemas['QuarantineRow'];

/** Suspected records come and go while a person looks. */
const EVERY_MS = 10_000;

const RELEASE: Action<Row> = {
  name: 'releaseQuarantined',
  icon: 'replay',
  allows: (row) => row.actions.release,
  ...eachOf('POST', '/api/v1/admin/quarantine/{id}/release'),
};

const c = columnsOf<Row>('system.quarantineList');
const QUARANTINE: List<Row> = {
  name: 'quarantine',
  title: 'system.quarantine',
  about: 'system.quarantineList.about',
  path: '/api/v1/admin/quarantine',
  columns: [
    c.id(64),
    {
      name: 'poller',
      label: 'system.quarantineList.columns.poller',
      width: 150,
      filter: {
        kind: 'words',
        words: [
          'mail',
          'sync',
          'telegram',
          'webhook',
          'subscription_poll',
          'subscription_expiry',
          'content',
          'drip_feed',
          'order',
          'external_order',
          'refill',
          'counter',
          'balance',
          'cancel_request',
        ],
        texts: 'poller',
      },
      cell: (row) => <Work row={row} />,
    },
    {
      name: 'record_id',
      label: 'system.quarantineList.columns.record',
      width: 88,
      filter: { kind: 'number' },
      cell: (row) => <RecordLink row={row} />,
    },
    c.status('status', 'status', ['suspected', 'trying', 'quarantined'], { width: 152 }),
    c.text('reason', 'reason', 208, { cell: (row) => <span className="wraps">{row.reason ?? '–'}</span> }),
    c.number('deaths', 'deaths', 78),
    c.time('first_death_at', 'firstDeathAt'),
    c.time('retry_at', 'retryAt'),
    c.time('updated_at', 'updatedAt', { hidden: true, label: 'orders.columns.updatedAt' }),
  ],
  everyMs: EVERY_MS,
  actions: [RELEASE],
};

/** What the record is; on a narrow screen also how it stands and why, as those columns are beyond its edge. */
function Work({ row }: { row: Row }) {
  return (
    <span className="wraps">
      <QueueName kind={row.poller} />
      <span className="narrow-only">
        <StatusTag status={row.status} />
        {row.reason}
      </span>
    </span>
  );
}

/** Leads to the record, or to the order or subscription that it belongs to. */
function RecordLink({ row }: { row: Row }) {
  const to = addressOf(row);
  return to ? <Link href={to}>{row.record_id}</Link> : row.record_id;
}

function addressOf(row: Row): string | undefined {
  if (row.poller === 'external_order') return `/external-panel-orders/${row.record_id}`;
  if (row.poller === 'balance') return `/external-panels/${row.record_id}`;
  if (row.order_id) return `/orders/${row.order_id}`;
  return row.subscription_id ? `/subscriptions/${row.subscription_id}` : undefined;
}

export default function Quarantine() {
  return <ServerTable list={QUARANTINE} />;
}
