// Where one is signed in, and ending it there. The session in use ends by signing out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { AskDialog } from '@/form/AskDialog';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { When } from '@/ui/When';
import { endOtherSessions, endSession, type OwnSession, readSessions, SESSIONS_KEY } from './calls';

export function Sessions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: SESSIONS_KEY, queryFn: readSessions });
  const [asks, setAsks] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sessions = query.data ?? [];
  const others = useSubmit({
    send: endOtherSessions,
    success: t('profile.othersEnded'),
    onDone: () => {
      setAsks(false);
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onProblem: () => void queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  });
  const failed = problem ?? others.problem ?? (query.error ? asProblem(query.error) : null);
  return (
    <>
      <p className="hint">{t('profile.sessionsAbout')}</p>
      {failed && !asks && <ProblemBar problem={failed} onRetry={() => void query.refetch()} />}
      {query.isPending && <p className="loading">{t('ui.loading')}</p>}
      {sessions.length > 0 && <SessionTable sessions={sessions} onProblem={setProblem} />}
      {sessions.length > 1 && (
        <div className="record-actions">
          <Button icon="sign-out" tone="danger" label={t('profile.endOthers')} onClick={() => setAsks(true)} />
        </div>
      )}
      {asks && (
        <AskDialog
          title={t('profile.endOthersTitle')}
          keep={t('profile.keep')}
          confirm={t('profile.endOthers')}
          tone="danger"
          submission={others}
          onConfirm={() => void others.submit()}
          onClose={() => setAsks(false)}
        >
          <p>{t('profile.endOthersText')}</p>
        </AskDialog>
      )}
    </>
  );
}

interface SessionTableProps {
  sessions: readonly OwnSession[];
  onProblem: (problem: Problem | null) => void;
}

function SessionTable({ sessions, onProblem }: SessionTableProps) {
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
                <EndButton
                  id={session.id}
                  label={t('profile.endOne', { device: named(session) })}
                  onProblem={onProblem}
                />
              ),
          },
        ]}
      />
    </section>
  );
}

/** Ends one session; each button for itself, so that the next can be pressed meanwhile. */
function EndButton({ id, label, onProblem }: { id: number; label: string; onProblem: SessionTableProps['onProblem'] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { submit, isPending } = useSubmit({
    send: () => endSession(id),
    success: t('profile.ended'),
    onDone: () => {
      onProblem(null);
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onProblem: (problem) => {
      onProblem(problem);
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return <Button look="plain" iconOnly icon="sign-out" label={label} busy={isPending} onClick={() => void submit()} />;
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
