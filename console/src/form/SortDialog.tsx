// A dialog in which the user changes the order of a list. It saves the positions of all items in one request.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { type SortableItem, SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { useSubmit } from './useSubmit';

interface Props {
  title: string;
  items: readonly SortableItem[];
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
  const { confirmLeave } = useUnsavedChanges(isDirty);
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
            disabled={!isDirty && t('ui.sort.noChanges')}
            onClick={() => void submit()}
          />
        </>
      }
    >
      <p className="none">{t('ui.sort.instructions')}</p>
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
