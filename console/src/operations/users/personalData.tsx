// What a customer may ask about their data: a copy of all of it, and its erasure, which nothing brings back. The panel
// says first what an erasure would do; the person types the customer's address before the button works.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { count } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { download } from '@/ui/download';
import { SmallTable } from '@/ui/Facts';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';

type User = Schemas['User'];
type Table = Schemas['ErasureTable'];

/** Writes everything about a customer to a file. */
export function ExportData({ user }: { user: User }) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    try {
      const path = { id: user.id };
      const file = await told(
        api.GET('/api/v1/admin/users/{id}/data-export', { params: { path }, parseAs: 'blob' as const }),
      );
      download(file, `customer-${user.id}.json`);
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    } finally {
      setBusy(false);
    }
  };
  return <Button icon="download" label={t('users.personalData.export')} busy={busy} onClick={() => void take()} />;
}

/** Asks the panel to erase a customer, or only what that would do. */
const erase = (id: number, dryRun: boolean, signal: AbortSignal | null) =>
  told(
    api.POST('/api/v1/admin/users/{id}/erase', {
      params: { path: { id }, query: dryRun ? { dry_run: '1' } : {} },
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      ...(signal ? { signal } : {}),
    }),
  );

interface Props {
  user: Pick<User, 'id' | 'name' | 'email'>;
  /** Erases, or tries to. */
  run?: typeof erase;
  onClose: () => void;
  onDone: () => void;
}

export function EraseDialog({ user, run = erase, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [tables, setTables] = useState<readonly Table[] | null>(null);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // The dialog is of what it was opened for: a parent that draws again asks nothing again.
  const [first] = useState(() => ({ run, id: user.id }));
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    first.run(first.id, true, signal).then(
      ({ data }) => setTables(data.tables),
      (error: unknown) => {
        if (signal.aborted || isAbandoned(error)) return;
        setProblem(asProblem(error));
      },
    );
    return () => controller.abort();
  }, [first]);
  const isTyped = typed.trim().toLowerCase() === user.email.toLowerCase();
  const refusal =
    (problem && !problem.isPassing && problem.message) ||
    (!tables && t('run.trying')) ||
    (!isTyped && t('users.personalData.mismatch'));
  const start = async () => {
    setBusy(true);
    try {
      await run(user.id, false, null);
      toast({ tone: 'success', text: t('users.personalData.done') });
      flushSync(onClose);
      onDone();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      role="alertdialog"
      title={t('users.personalData.title', { name: user.name })}
      onClose={onClose}
      held={busy}
      wide
      footer={
        <>
          <Button label={t('users.personalData.keep')} onClick={onClose} data-autofocus />
          <Button
            look="filled"
            tone="danger"
            label={t('users.personalData.confirm')}
            busy={busy}
            disabled={refusal}
            onClick={() => void start()}
          />
        </>
      }
    >
      <p className="preview-final">{t('users.personalData.about')}</p>
      {problem && <ProblemBar problem={problem} />}
      {tables && <Plan tables={tables} />}
      {tables && (
        <Field label={t('users.personalData.type', { email: user.email })}>
          {(given) => (
            <input
              {...given}
              type="text"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  );
}

/** What an erasure does, without the tables that have no record of the customer. */
function Plan({ tables }: { tables: readonly Table[] }) {
  const { t } = useTranslation();
  const what = ({ treatment, fields, note }: Table) =>
    [t(`users.personalData.${treatment}`), fields.join(', '), note].filter(Boolean).join(': ');
  return (
    <SmallTable
      label={t('users.personalData.what')}
      rows={tables.filter(({ records }) => records !== 0)}
      rowKey={({ table }) => table}
      empty=""
      columns={[
        { title: t('users.personalData.table'), cell: ({ table }) => <code>{table}</code> },
        {
          title: t('users.personalData.records'),
          align: 'end',
          cell: ({ records }) => (typeof records === 'number' ? count(records) : t('users.personalData.found')),
        },
        { title: t('users.personalData.what'), cell: what },
      ]}
    />
  );
}
