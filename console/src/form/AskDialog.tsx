// Asks before a call that nothing previews: focus on the safe button, and what the server refuses below the question.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { Submit } from './useSubmit';

interface Props {
  title: string;
  /** The safe button. */
  keep: string;
  confirm: string;
  tone?: 'danger' | undefined;
  /** Why it cannot be confirmed now. */
  refusal?: string | false | undefined;
  submission: Pick<Submit<unknown, unknown>, 'isPending' | 'problem'>;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function AskDialog({ title, keep, confirm, tone, refusal, submission, onConfirm, onClose, children }: Props) {
  const { isPending, problem } = submission;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      held={isPending}
      footer={
        <>
          <CloseButton label={keep} data-autofocus />
          <Button
            look="filled"
            tone={tone}
            label={confirm}
            busy={isPending}
            disabled={refusal}
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
