// The tab of the profile with the user's own sessions. The user can end every session except the current one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { ConfirmActionDialog } from '@/form/ConfirmActionDialog';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { SimpleTable } from '@/ui/SimpleTable';
import { endOtherSessions, endSession, fetchSessions, type OwnSession, SESSIONS_QUERY_KEY } from './requests';

export function Sessions() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: SESSIONS_QUERY_KEY, queryFn: fetchSessions });
  const [isConfirming, setIsConfirming] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sessions = query.data ?? [];
  const endOthersSubmission = useSubmit({
    send: endOtherSessions,
    successMessage: t('profile.otherSessionsEnded'),
    onDone: () => {
      setIsConfirming(false);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY });
    },
    onProblem: () => void queryClient.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY }),
  });
  const shownProblem = problem ?? endOthersSubmission.problem ?? (query.error ? asProblem(query.error) : null);
  return (
    <>
      <p className="hint">{t('profile.sessionsDescription')}</p>
      {shownProblem && !isConfirming && <ProblemBar problem={shownProblem} onRetry={() => void query.refetch()} />}
      {query.isPending && <p className="loading">{t('ui.loading')}</p>}
      {sessions.length > 0 && <SessionTable sessions={sessions} onProblem={setProblem} />}
      {sessions.length > 1 && (
        <div className="record-actions">
          <Button
            icon="sign-out"
            tone="danger"
            label={t('profile.endOtherSessions')}
            onClick={() => setIsConfirming(true)}
          />
        </div>
      )}
      {isConfirming && (
        <ConfirmActionDialog
          title={t('profile.endOtherSessionsTitle')}
          cancelLabel={t('profile.keepSessions')}
          confirmLabel={t('profile.endOtherSessions')}
          tone="danger"
          submission={endOthersSubmission}
          onConfirm={() => void endOthersSubmission.submit()}
          onClose={() => setIsConfirming(false)}
        >
          <p>{t('profile.endOtherSessionsText')}</p>
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
  const getDeviceName = ({ device }: OwnSession) => device ?? t('profile.unknownDevice');
  return (
    <section className="card">
      <SimpleTable
        label={t('profile.sessions')}
        rows={sessions}
        getRowKey={({ id }) => id}
        emptyText=""
        columns={[
          {
            title: t('profile.device'),
            isNarrow: true,
            renderCell: (session) => (
              <>
                {getDeviceName(session)}{' '}
                {session.is_current && <span className="tag">{t('profile.currentSession')}</span>}
              </>
            ),
          },
          {
            title: t('profile.address'),
            isNarrow: true,
            renderCell: ({ ip_address }) => <IpAddress ip={ip_address} />,
          },
          { title: t('profile.signedIn'), renderCell: ({ signed_in_at }) => <DateTime time={signed_in_at} /> },
          { title: t('profile.lastUsed'), renderCell: ({ last_used_at }) => <DateTime time={last_used_at} /> },
          { title: t('profile.expiresAt'), renderCell: ({ ends_at }) => <DateTime time={ends_at} /> },
          {
            title: '',
            align: 'end',
            renderCell: (session) =>
              !session.is_current && (
                <EndButton
                  id={session.id}
                  label={t('profile.endNamedSession', { device: getDeviceName(session) })}
                  onProblem={onProblem}
                />
              ),
          },
        ]}
      />
    </section>
  );
}

/** The button that ends a session. Each button has its own state, so that the user can end several sessions at the same time. */
function EndButton({ id, label, onProblem }: { id: number; label: string; onProblem: SessionTableProps['onProblem'] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { submit, isPending } = useSubmit({
    send: () => endSession(id),
    successMessage: t('profile.sessionEnded'),
    onDone: () => {
      onProblem(null);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY });
    },
    onProblem: (problem) => {
      onProblem(problem);
      void queryClient.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY });
    },
  });
  return (
    <Button variant="plain" iconOnly icon="sign-out" label={label} busy={isPending} onClick={() => void submit()} />
  );
}

/** An IP address that can wrap after each colon, because an IPv6 address is longer than the column. */
function IpAddress({ ip }: { ip: string }) {
  return ip.split(/(?<=:)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
