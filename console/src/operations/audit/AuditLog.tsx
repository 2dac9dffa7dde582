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

/** The path of the page of a record, by the type of the record. */
const PAGES: Record<string, string> = { order: '/orders', user: '/users' };

export const AUDITS: List<AuditRow> = defineList(audits, {
  title: 'audit.title',
  columns: {
    id: 90,
    'user.name': { width: 170, cell: (row) => (row.user ? <UserLink user={row.user} /> : <SystemActor />) },
    event: { width: 190, cell: (row) => <code>{row.event}</code>, filter: { kind: 'choices', of: 'auditEvents' } },
    auditable_type: { width: 120, filter: { kind: 'choices', of: 'auditTypes' } },
    auditable_id: { width: 100, cell: (row) => <RecordLink row={row} /> },
    new_values: {
      width: 340,
      cell: (row) => (
        <Changes
          title={`${row.event} · ${row.auditable_type} ${row.auditable_id}`}
          before={row.old_values}
          after={row.new_values}
        />
      ),
    },
    ip_address: 130,
    user_agent: { width: 220, cell: (row) => <span title={row.user_agent}>{row.user_agent}</span> },
    request_id: 220,
  },
});

export default function AuditLog() {
  return <ServerTable list={AUDITS} tools={<VerifyButton />} />;
}

function SystemActor() {
  const { t } = useTranslation();
  return <span className="none">{t('audit.system')}</span>;
}

function RecordLink({ row }: { row: AuditRow }) {
  const page = PAGES[row.auditable_type];
  return page ? <Link href={`${page}/${row.auditable_id}`}>{row.auditable_id}</Link> : row.auditable_id;
}

/** Verifies the whole chain of entries. Each request verifies one range and returns the start of the next. */
async function verifyAll(): Promise<{ rows: number; broken: readonly string[] }> {
  let rows = 0;
  let broken: string[] = [];
  let after: number | null | undefined;
  do {
    const query: { after?: number } = after ? { after } : {};
    const { data }: { data: Schemas['AuditVerification'] } = await unwrap(
      api.GET('/api/v1/admin/audits/verify', { params: { query } }),
    );
    rows += data.rows;
    broken = [...broken, ...data.broken];
    after = data.next;
  } while (after);
  return { rows, broken };
}

function VerifyButton() {
  const { t } = useTranslation();
  const { submit, isPending } = useSubmit({
    send: verifyAll,
    success: ({ rows, broken }) =>
      broken.length === 0
        ? t('audit.whole', { count: rows, shown: formatNumber(rows) })
        : { tone: 'error', text: t('audit.broken', { what: broken.slice(0, 3).join(' ') }) },
    showProblemAs: 'toast',
  });
  return <Button icon="verified" label={t('audit.verify')} busy={isPending} onClick={() => void submit()} />;
}
