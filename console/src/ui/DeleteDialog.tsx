// Asks before a record is deleted for good; a refusal names what uses it.
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { ProblemBar } from './Notice';
import { toast } from './toasts';

interface Props {
  name: string;
  remove: () => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteDialog({ name, remove, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const start = async () => {
    setBusy(true);
    try {
      await remove();
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
          <Button look="filled" tone="danger" label={t('deleting.confirm')} busy={busy} onClick={() => void start()} />
        </>
      }
    >
      <p className="preview-final">{t('deleting.about')}</p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
