// A sortable list in a dialog: what was moved is saved once, as a whole.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { moved } from '@/ui/order';
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
  const { submit, isPending, problem, forget } = useSubmit({
    send: () => onSave(order.map((item) => item.id)),
    onDone: onClose,
  });
  const isDirty = order.some((item, at) => item !== items[at]);
  const { mayLeave } = useUnsaved(isDirty);
  const close = () => mayLeave() && onClose();
  return (
    <Dialog
      title={title}
      onClose={close}
      held={isPending}
      footer={
        <>
          <CloseButton label={t('ui.cancel')} />
          <Button
            look="filled"
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
        first
        label={title}
        items={order}
        onMove={(from, to) => {
          setOrder(moved(order, from, to));
          forget();
        }}
      />
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
