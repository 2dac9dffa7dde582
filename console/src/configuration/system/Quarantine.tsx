// The list of quarantined records. The server stops background work on a record that has crashed its process. Staff release the
// record after the cause is fixed.
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

type QuarantineRow = Schemas['QuarantineRow'];

/**
 * The list changes while it is open: the server adds records that are suspected of a crash, and removes them if they are cleared.
 */
const REFETCH_INTERVAL_MS = 10_000;

const RELEASE_ACTION: Action<QuarantineRow> = {
  name: 'releaseQuarantined',
  icon: 'replay',
  allows: (row) => row.actions.release,
  ...perRecordCalls('POST', '/api/v1/admin/quarantine/{id}/release'),
};

const QUARANTINE: List<QuarantineRow> = defineList(quarantine, {
  title: 'system.quarantine',
  description: 'system.quarantineList.description',
  columns: {
    id: 64,
    poller: { width: 150, cell: (row) => <PollerCell row={row} /> },
    record_id: { width: 88, cell: (row) => <RecordLink row={row} /> },
    status: 152,
    reason: { width: 208, cell: (row) => <span className="wraps">{row.reason ?? '–'}</span> },
    crashes: 78,
  },
  refetchIntervalMs: REFETCH_INTERVAL_MS,
  actions: [RELEASE_ACTION],
});

/** The poller. On a narrow screen the cell also shows the status and the reason, because their columns do not fit. */
function PollerCell({ row }: { row: QuarantineRow }) {
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

/** Links to the record, or to the order or subscription that it belongs to. */
function RecordLink({ row }: { row: QuarantineRow }) {
  const href = findRecordHref(row);
  return href ? <Link href={href}>{row.record_id}</Link> : row.record_id;
}

function findRecordHref(row: QuarantineRow): string | undefined {
  if (row.poller === 'external_order') return `/external-panel-orders/${row.record_id}`;
  if (row.poller === 'balance') return `/external-panels/${row.record_id}`;
  if (row.order_id) return `/orders/${row.order_id}`;
  return row.subscription_id ? `/subscriptions/${row.subscription_id}` : undefined;
}

export default function Quarantine() {
  return <ServerTable list={QUARANTINE} />;
}
