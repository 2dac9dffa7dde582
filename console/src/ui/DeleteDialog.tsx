// Asks before a record is deleted for good. A dry run says at once where it is in use, before the button can be pressed.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { ProblemBar } from './Notice';
import { toast } from './toasts';

interface Props {
  name: string;
  /** Deletes it, or tries to. */
  remove: (how: { query: { dry_run?: '1' }; signal: AbortSignal | null }) => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, remove, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [trying, setTrying] = useState(true);
  // The dialog is of what it was opened for: a parent that draws again tries nothing again.
  const [first] = useState(() => remove);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    first({ query: { dry_run: '1' }, signal }).then(
      () => setTrying(false),
      (error: unknown) => {
        if (signal.aborted || isAbandoned(error)) return;
        setProblem(asProblem(error));
        setTrying(false);
      },
    );
    return () => controller.abort();
  }, [first]);
  const refusal = trying ? t('run.trying') : problem !== null && !problem.isPassing && problem.message;
  const start = async () => {
    setBusy(true);
    try {
      await remove({ query: {}, signal: null });
      toast({ tone: 'success', text: t('deleting.done', { name }) });
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
      title={t('deleting.title', { name })}
      onClose={onClose}
      held={busy}
      footer={
        <>
          <Button label={t('deleting.keep')} onClick={onClose} data-autofocus />
          <Button
            look="filled"
            tone="danger"
            label={t('deleting.confirm')}
            busy={busy}
            disabled={refusal}
            onClick={() => void start()}
          />
        </>
      }
    >
      <p className="preview-final">{t('deleting.about')}</p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
