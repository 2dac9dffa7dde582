// Where one is signed in, and ending it there. The session in use ends by signing out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
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
      {sessions.length > 0 && (
        <section className="card small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('profile.device')}</th>
                <th scope="col">{t('profile.address')}</th>
                <th scope="col">{t('profile.signedIn')}</th>
                <th scope="col">{t('profile.lastUsed')}</th>
                <th scope="col">{t('profile.endsAt')}</th>
                <th scope="col">
                  <span className="sr">{t('profile.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <Row key={session.id} session={session} busy={busy === session.id} onEnd={() => void run(session.id)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
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

function Row({ session, busy, onEnd }: { session: OwnSession; busy: boolean; onEnd: () => void }) {
  const { t } = useTranslation();
  const device = session.device ?? t('profile.unknownDevice');
  return (
    <tr data-id={session.id}>
      <td>
        {device} {session.is_current && <span className="tag">{t('profile.current')}</span>}
      </td>
      <td>{session.ip_address}</td>
      <td>
        <When at={session.signed_in_at} />
      </td>
      <td>
        <When at={session.last_used_at} />
      </td>
      <td>
        <When at={session.ends_at} />
      </td>
      <td data-align="end">
        {!session.is_current && (
          <Button
            look="plain"
            iconOnly
            icon="sign-out"
            label={t('profile.endOne', { device })}
            busy={busy}
            onClick={onEnd}
          />
        )}
      </td>
    </tr>
  );
}
