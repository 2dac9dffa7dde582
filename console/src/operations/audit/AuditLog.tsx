// Who changed what, when and from where; and whether the log is as it was written.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count } from '@/i18n/format';
import type { Column, List } from '@/table/declare';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { UserLink } from '@/ui/cells';
import { toast } from '@/ui/toasts';
import { Changes } from './Changes';

type Row = Schemas['AuditRow'];

/** Kinds of record that have a page. */
const PAGES: Record<string, string> = { order: '/orders', user: '/users' };

const c = columnsOf<Row>('audit');
const COLUMNS: readonly Column<Row>[] = [
  c.id(90, undefined, { hidden: true }),
  c.time('created_at', 'createdAt'),
  {
    name: 'user.name',
    label: 'audit.columns.user',
    width: 170,
    filter: { kind: 'record', of: 'user' },
    filterName: 'user',
    cell: (row) => (row.user ? <UserLink user={row.user} /> : <System />),
  },
  {
    name: 'event',
    label: 'audit.columns.event',
    width: 190,
    filter: { kind: 'choices', of: 'auditEvents' },
    cell: (row) => <code>{row.event}</code>,
  },
  c.text('auditable_type', 'type', 120, { filter: { kind: 'choices', of: 'auditTypes' } }),
  {
    name: 'auditable_id',
    label: 'audit.columns.record',
    width: 100,
    filter: { kind: 'ids' },
    cell: (row) => <RecordLink row={row} />,
  },
  {
    name: 'new_values',
    label: 'audit.columns.changes',
    width: 340,
    sortable: false,
    cell: (row) => (
      <Changes
        title={`${row.event} · ${row.auditable_type} ${row.auditable_id}`}
        before={row.old_values}
        after={row.new_values}
      />
    ),
  },
  c.text('ip_address', 'ip', 130),
  {
    name: 'user_agent',
    label: 'audit.columns.agent',
    width: 220,
    sortable: false,
    hidden: true,
    cell: (row) => <span title={row.user_agent}>{row.user_agent}</span>,
  },
  {
    name: 'request_id',
    label: 'audit.columns.request',
    width: 220,
    sortable: false,
    hidden: true,
    cell: (row) => row.request_id,
  },
];

export const AUDITS: List<Row> = {
  name: 'audits',
  title: 'audit.title',
  path: '/api/v1/admin/audits',
  columns: COLUMNS,
};

export default function AuditLog() {
  return <ServerTable list={AUDITS} tools={<Verify />} />;
}

function System() {
  const { t } = useTranslation();
  return <span className="none">{t('audit.system')}</span>;
}

function RecordLink({ row }: { row: Row }) {
  const page = PAGES[row.auditable_type];
  return page ? <Link href={`${page}/${row.auditable_id}`}>{row.auditable_id}</Link> : row.auditable_id;
}

/** Goes along the whole chain, a stretch a call. */
function Verify() {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    try {
      let rows = 0;
      let broken: string[] = [];
      let after: number | null | undefined;
      do {
        const query: { after?: number } = after ? { after } : {};
        const { data }: { data: Schemas['AuditVerification'] } = await told(
          api.GET('/api/v1/admin/audits/verify', { params: { query } }),
        );
        rows += data.rows;
        broken = [...broken, ...data.broken];
        after = data.next;
      } while (after);
      if (broken.length === 0) toast({ tone: 'success', text: t('audit.whole', { count: rows, shown: count(rows) }) });
      else toast({ tone: 'error', text: t('audit.broken', { what: broken.slice(0, 3).join(' ') }) });
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    } finally {
      setBusy(false);
    }
  };
  return <Button icon="verified" label={t('audit.verify')} busy={busy} onClick={() => void verify()} />;
}
