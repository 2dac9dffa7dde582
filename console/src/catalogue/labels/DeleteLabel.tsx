// Asks before a label is deleted, and lists the services that lose it.
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';
import { UsedBy, useUsedBy } from './UsedBy';

interface Props {
  label: Schemas['LabelRow'];
  onClose: () => void;
  onDone: () => void;
}

export function DeleteLabel({ label, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isUsed = label.services_count > 0;
  // Whoever deletes it has seen who loses it; a list that cannot be read stops nothing.
  const { isPending } = useUsedBy(label.id, isUsed);
  const unread = isUsed && isPending && t('ui.loading');
  const remove = async () => {
    setBusy(true);
    try {
      await told(api.DELETE('/api/v1/admin/services/labels/{id}', { params: { path: { id: label.id } } }));
      toast({ tone: 'success', text: t('labels.deleted', { name: label.name }) });
      // What it was used by is gone with it: nobody may ask for that again.
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
      title={t('labels.deleteOne', { name: label.name })}
      onClose={onClose}
      held={busy}
      footer={
        <>
          <Button label={t('labels.keep')} onClick={onClose} data-autofocus />
          <Button
            look="filled"
            tone="danger"
            label={t('labels.delete')}
            busy={busy}
            disabled={unread}
            onClick={() => void remove()}
          />
        </>
      }
    >
      {label.is_custom_comments && <p>{t('labels.customWarning')}</p>}
      {isUsed ? <UsedBy id={label.id} /> : <p>{t('labels.unused')}</p>}
      <p className="preview-final">{t('labels.noWayBack')}</p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
