// The audit log: each change with its actor, time, IP address and values, and a button that verifies the log.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { audits } from '@/api/lists/audits';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber } from '@/i18n/format';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { UserLink } from '@/ui/cells';
import { Changes } from './Changes';

type AuditRow = Schemas['AuditRow'];

/** Maps the record type of an audit entry to the path of the record's page, without the id. */
const RECORD_PATHS: Record<string, string> = { order: '/orders', user: '/users' };

export const AUDIT_LIST: List<AuditRow> = defineList(audits, {
  title: 'audit.title',
  columns: {
    id: 90,
    'user.name': { width: 170, cell: (row) => (row.user ? <UserLink user={row.user} /> : <SystemActor />) },
    event: { width: 190, cell: (row) => <code>{row.event}</code>, filter: { kind: 'choices', list: 'auditEvents' } },
    auditable_type: { width: 120, filter: { kind: 'choices', list: 'auditTypes' } },
    auditable_id: { width: 100, cell: (row) => <RecordLink row={row} /> },
    new_values: {
      width: 340,
      cell: (row) => (
        <Changes
          title={`${row.event} · ${row.auditable_type} ${row.auditable_id}`}
          oldValues={row.old_values}
          newValues={row.new_values}
        />
      ),
    },
    ip_address: 130,
    user_agent: { width: 220, cell: (row) => <span title={row.user_agent}>{row.user_agent}</span> },
    request_id: 220,
  },
});

export default function AuditLog() {
  return <ServerTable list={AUDIT_LIST} tools={<VerifyButton />} />;
}

function SystemActor() {
  const { t } = useTranslation();
  return <span className="none">{t('audit.system')}</span>;
}

function RecordLink({ row }: { row: AuditRow }) {
  const path = RECORD_PATHS[row.auditable_type];
  return path ? <Link href={`${path}/${row.auditable_id}`}>{row.auditable_id}</Link> : row.auditable_id;
}

/** Verifies all entries of the log. Each request verifies one range of entries and returns the start of the next range. */
async function verifyAuditLog(): Promise<{ rowCount: number; problems: readonly string[] }> {
  let rowCount = 0;
  let problems: readonly string[] = [];
  let cursor: number | null | undefined;
  do {
    const query: { after?: number } = cursor ? { after: cursor } : {};
    const { data }: { data: Schemas['AuditVerification'] } = await unwrap(
      api.GET('/api/v1/admin/audits/verify', { params: { query } }),
    );
    rowCount += data.rows;
    problems = [...problems, ...data.problems];
    cursor = data.next;
  } while (cursor);
  return { rowCount, problems };
}

function VerifyButton() {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: verifyAuditLog,
    successMessage: ({ rowCount, problems }) =>
      problems.length === 0
        ? t('audit.logIntact', { count: rowCount, formattedCount: formatNumber(rowCount) })
        : { tone: 'error', text: t('audit.logModified', { entries: problems.slice(0, 3).join(' ') }) },
    showProblemAs: 'toast',
  });
  return <Button icon="verified" label={t('audit.verify')} busy={isPending} onClick={() => void submit()} />;
}
