// The tab with the user's own sessions, which the user can end. To end the current session, the user signs out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { SmallTable } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { endOtherSessions, endSession, fetchSessions, type OwnSession, SESSIONS_KEY } from './calls';

export function Sessions() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: SESSIONS_KEY, queryFn: fetchSessions });
  const [isConfirming, setIsConfirming] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sessions = query.data ?? [];
  const endOthersSubmission = useSubmit({
    send: endOtherSessions,
    success: t('profile.othersEnded'),
    onDone: () => {
      setIsConfirming(false);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onProblem: () => void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY }),
  });
  const shownProblem = problem ?? endOthersSubmission.problem ?? (query.error ? asProblem(query.error) : null);
  return (
    <>
      <p className="hint">{t('profile.sessionsAbout')}</p>
      {shownProblem && !isConfirming && <ProblemBar problem={shownProblem} onRetry={() => void query.refetch()} />}
      {query.isPending && <p className="loading">{t('ui.loading')}</p>}
      {sessions.length > 0 && <SessionTable sessions={sessions} onProblem={setProblem} />}
      {sessions.length > 1 && (
        <div className="record-actions">
          <Button icon="sign-out" tone="danger" label={t('profile.endOthers')} onClick={() => setIsConfirming(true)} />
        </div>
      )}
      {isConfirming && (
        <ConfirmActionDialog
          title={t('profile.endOthersTitle')}
          cancelLabel={t('profile.keep')}
          confirmLabel={t('profile.endOthers')}
          tone="danger"
          submission={endOthersSubmission}
          onConfirm={() => void endOthersSubmission.submit()}
          onClose={() => setIsConfirming(false)}
        >
          <p>{t('profile.endOthersText')}</p>
        </ConfirmActionDialog>
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
  const deviceName = ({ device }: OwnSession) => device ?? t('profile.unknownDevice');
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
                {deviceName(session)} {session.is_current && <span className="tag">{t('profile.current')}</span>}
              </>
            ),
          },
          { title: t('profile.address'), wraps: true, cell: ({ ip_address }) => <Address ip={ip_address} /> },
          { title: t('profile.signedIn'), cell: ({ signed_in_at }) => <DateTime time={signed_in_at} /> },
          { title: t('profile.lastUsed'), cell: ({ last_used_at }) => <DateTime time={last_used_at} /> },
          { title: t('profile.endsAt'), cell: ({ ends_at }) => <DateTime time={ends_at} /> },
          {
            title: '',
            align: 'end',
            cell: (session) =>
              !session.is_current && (
                <EndButton
                  id={session.id}
                  label={t('profile.endOne', { device: deviceName(session) })}
                  onProblem={onProblem}
                />
              ),
          },
        ]}
      />
    </section>
  );
}

/**
 * The button that ends a session. Each button has a state of its own, so that the user can end several sessions at the same time.
 */
function EndButton({ id, label, onProblem }: { id: number; label: string; onProblem: SessionTableProps['onProblem'] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { submit, isPending } = useSubmit({
    send: () => endSession(id),
    success: t('profile.ended'),
    onDone: () => {
      onProblem(null);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onProblem: (problem) => {
      onProblem(problem);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return (
    <Button variant="plain" iconOnly icon="sign-out" label={label} busy={isPending} onClick={() => void submit()} />
  );
}

/** An IP address that can wrap after each colon, because an IPv6 address is longer than the column. */
function Address({ ip }: { ip: string }) {
  return ip.split(/(?<=:)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
