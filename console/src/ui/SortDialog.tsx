// A sortable list in a dialog: what was moved is saved once, as a whole.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { ProblemBar } from './Notice';
import { moved } from './order';
import { type Sortable, SortableList } from './SortableList';
import { useUnsaved } from './unsaved';

interface Props {
  title: string;
  items: readonly Sortable[];
  onSave: (ids: number[]) => Promise<void>;
  onClose: () => void;
}

export function SortDialog({ title, items, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const [order, setOrder] = useState(items);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isDirty = order.some((item, at) => item !== items[at]);
  const mayLeave = useUnsaved(isDirty && !busy);
  const close = () => mayLeave() && onClose();
  const save = async () => {
    setBusy(true);
    try {
      await onSave(order.map((item) => item.id));
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      held={busy}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={close} />
          <Button
            look="filled"
            label={t('ui.save')}
            busy={busy}
            disabled={!isDirty && t('ui.sort.same')}
            onClick={save}
          />
        </>
      }
    >
      <p className="none">{t('ui.sort.how')}</p>
      <SortableList
        first
        label={title}
        items={order}
        onMove={(from, to) => {
          setOrder(moved(order, from, to));
          setProblem(null);
        }}
      />
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
