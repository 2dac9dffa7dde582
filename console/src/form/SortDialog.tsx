// A dialog in which the user sorts a list. It saves the positions of all items in one request.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { type Sortable, SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
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
  const [sortedItems, setSortedItems] = useState(items);
  const { submit, isPending, problem, clearProblem } = useSubmit({
    send: () => onSave(sortedItems.map((item) => item.id)),
    onDone: onClose,
  });
  const isDirty = sortedItems.some((item, index) => item !== items[index]);
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
        items={sortedItems}
        onMove={(fromIndex, toIndex) => {
          setSortedItems(moveItem(sortedItems, fromIndex, toIndex));
          clearProblem();
        }}
      />
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
