// Where one is signed in, and ending it there. The session in use ends by signing out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';
import { When } from '@/ui/When';
import { endOtherSessions, endSession, type OwnSession, readSessions, SESSIONS_KEY } from './calls';

export function Sessions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: SESSIONS_KEY, queryFn: readSessions });
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState<number | 'others' | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sessions = query.data ?? [];
  const run = async (what: number | 'others') => {
    setBusy(what);
    setProblem(null);
    try {
      await (what === 'others' ? endOtherSessions() : endSession(what));
      toast({ tone: 'success', text: t(what === 'others' ? 'profile.othersEnded' : 'profile.ended') });
      setAsks(false);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(null);
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    }
  };
  const failed = problem ?? (query.error ? asProblem(query.error) : null);
  return (
    <>
      <p className="hint">{t('profile.sessionsAbout')}</p>
      {failed && !asks && <ProblemBar problem={failed} onRetry={() => void query.refetch()} />}
      {query.isPending && <p className="loading">{t('ui.loading')}</p>}
      {sessions.length > 0 && <SessionTable sessions={sessions} busy={busy} onEnd={(id) => void run(id)} />}
      {sessions.length > 1 && (
        <div className="record-actions">
          <Button icon="sign-out" tone="danger" label={t('profile.endOthers')} onClick={() => setAsks(true)} />
        </div>
      )}
      {asks && (
        <Dialog
          role="alertdialog"
          title={t('profile.endOthersTitle')}
          onClose={() => setAsks(false)}
          held={busy === 'others'}
          footer={
            <>
              <Button label={t('profile.keep')} onClick={() => setAsks(false)} data-autofocus />
              <Button
                look="filled"
                tone="danger"
                label={t('profile.endOthers')}
                busy={busy === 'others'}
                onClick={() => void run('others')}
              />
            </>
          }
        >
          <p>{t('profile.endOthersText')}</p>
          {problem && <ProblemBar problem={problem} />}
        </Dialog>
      )}
    </>
  );
}

interface SessionTableProps {
  sessions: readonly OwnSession[];
  busy: number | 'others' | null;
  onEnd: (id: number) => void;
}

function SessionTable({ sessions, busy, onEnd }: SessionTableProps) {
  const { t } = useTranslation();
  const named = ({ device }: OwnSession) => device ?? t('profile.unknownDevice');
  return (
    <section className="card">
      <SmallTable
        label={t('profile.sessions')}
        rows={sessions}
        rowKey={({ id }) => id}
        empty=""
        columns={[
          {
            title: t('profile.device'),
            wraps: true,
            cell: (session) => (
              <>
                {named(session)} {session.is_current && <span className="tag">{t('profile.current')}</span>}
              </>
            ),
          },
          { title: t('profile.address'), wraps: true, cell: ({ ip_address }) => <Address ip={ip_address} /> },
          { title: t('profile.signedIn'), cell: ({ signed_in_at }) => <When at={signed_in_at} /> },
          { title: t('profile.lastUsed'), cell: ({ last_used_at }) => <When at={last_used_at} /> },
          { title: t('profile.endsAt'), cell: ({ ends_at }) => <When at={ends_at} /> },
          {
            title: '',
            align: 'end',
            cell: (session) =>
              !session.is_current && (
                <Button
                  look="plain"
                  iconOnly
                  icon="sign-out"
                  label={t('profile.endOne', { device: named(session) })}
                  busy={busy === session.id}
                  onClick={() => onEnd(session.id)}
                />
              ),
          },
        ]}
      />
    </section>
  );
}

/** An address that breaks behind its colons only: an IPv6 address is longer than a narrow column. */
function Address({ ip }: { ip: string }) {
  return ip.split(/(?<=:)/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}
