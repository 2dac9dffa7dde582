// Asks before a call that nothing previews: focus on the safe button, and what the server refuses below the question.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { Submit } from './useSubmit';

interface Props {
  title: string;
  /** The safe button. */
  keep: string;
  confirm: string;
  tone?: 'danger' | undefined;
  submission: Pick<Submit<unknown, unknown>, 'isPending' | 'problem'>;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function AskDialog({ title, keep, confirm, tone, submission, onConfirm, onClose, children }: Props) {
  const { isPending, problem } = submission;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      held={isPending}
      footer={
        <>
          <Button label={keep} onClick={onClose} data-autofocus />
          <Button
            look="filled"
            tone={tone}
            label={confirm}
            busy={isPending}
            onClick={onConfirm}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      {children}
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
