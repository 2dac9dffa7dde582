// Background work that ended the server's process: what waits for a person, and its release once the cause is fixed.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { quarantine } from '@/api/lists/quarantine';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
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
  ...perRecordCalls('POST', '/api/v1/admin/quarantine/{id}/release'),
};

const QUARANTINE: List<Row> = defineList(quarantine, {
  title: 'system.quarantine',
  description: 'system.quarantineList.about',
  columns: {
    id: 64,
    poller: { width: 150, cell: (row) => <Work row={row} /> },
    record_id: { width: 88, cell: (row) => <RecordLink row={row} /> },
    status: 152,
    reason: { width: 208, cell: (row) => <span className="wraps">{row.reason ?? '–'}</span> },
    deaths: 78,
  },
  refetchIntervalMs: EVERY_MS,
  actions: [RELEASE],
});

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
