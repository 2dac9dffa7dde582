// The screen with the list of quarantined records. If a record has crashed the worker process, the worker no longer processes this
// record. Staff release the record after they have fixed the cause.
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { quarantine } from '@/api/lists/quarantine';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { StatusTag } from '@/ui/StatusTag';
import { QueueName } from './QueueName';

type QuarantineRow = Schemas['QuarantineRow'];

/**
 * The list is refetched while it is open, because the server adds records that may have caused a crash, and removes records that did
 * not cause it.
 */
const REFETCH_INTERVAL_MS = 10_000;

const RELEASE_ACTION: Action<QuarantineRow> = {
  name: 'releaseQuarantined',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.release,
  ...createPerRecordRequests('POST', '/api/v1/admin/quarantine/{id}/release'),
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

/** Shows the poller. On a narrow screen, also shows the status and the reason, because their columns do not fit. */
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

/** Links to the record, or to the order or subscription to which the record belongs. */
function RecordLink({ row }: { row: QuarantineRow }) {
  const href = getRecordHref(row);
  return href ? <Link href={href}>{row.record_id}</Link> : row.record_id;
}

function getRecordHref(row: QuarantineRow): string | undefined {
  if (row.poller === 'external_order') return `/external-panel-orders/${row.record_id}`;
  if (row.poller === 'balance') return `/external-panels/${row.record_id}`;
  if (row.order_id) return `/orders/${row.order_id}`;
  return row.subscription_id ? `/subscriptions/${row.subscription_id}` : undefined;
}

export default function Quarantine() {
  return <ServerTable list={QUARANTINE} />;
}
