// A sortable list in a dialog. The whole order is saved at once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { moveItem } from '@/ui/order';
import { type Sortable, SortableList } from '@/ui/SortableList';
import { useUnsaved } from '@/ui/unsaved';
import { useSubmit } from './useSubmit';

interface Props {
  title: string;
  items: readonly Sortable[];
  onSave: (ids: number[]) => Promise<unknown>;
  onClose: () => void;
}

export function SortDialog({ title, items, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const [order, setOrder] = useState(items);
  const { submit, isPending, problem, clearProblem } = useSubmit({
    send: () => onSave(order.map((item) => item.id)),
    onDone: onClose,
  });
  const isDirty = order.some((item, at) => item !== items[at]);
  const { confirmLeave } = useUnsaved(isDirty);
  const close = () => confirmLeave() && onClose();
  return (
    <Dialog
      title={title}
      onClose={close}
      isBusy={isPending}
      footer={
        <>
          <CloseButton label={t('ui.cancel')} />
          <Button
            variant="filled"
            label={t('ui.save')}
            busy={isPending}
            disabled={!isDirty && t('ui.sort.same')}
            onClick={() => void submit()}
          />
        </>
      }
    >
      <p className="none">{t('ui.sort.how')}</p>
      <SortableList
        autoFocus
        label={title}
        items={order}
        onMove={(from, to) => {
          setOrder(moveItem(order, from, to));
          clearProblem();
        }}
      />
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
