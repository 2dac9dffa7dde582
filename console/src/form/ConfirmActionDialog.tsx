// A dialog that asks the user to confirm a request that has no preview. The focus starts on the cancel button. An error of the
// request is shown below the question.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { Submission } from './useSubmit';

interface Props {
  title: string;
  /** The label of the button that closes the dialog without sending the request. */
  cancelLabel: string;
  confirmLabel: string;
  tone?: 'danger' | undefined;
  /** Why the user cannot confirm now; the disabled button shows it. */
  disabledReason?: string | false | undefined;
  submission: Pick<Submission<unknown, unknown>, 'isPending' | 'problem'>;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function ConfirmActionDialog({
  title,
  cancelLabel,
  confirmLabel,
  tone,
  disabledReason,
  submission,
  onConfirm,
  onClose,
  children,
}: Props) {
  const { isPending, problem } = submission;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      isBusy={isPending}
      footer={
        <>
          <CloseButton label={cancelLabel} data-autofocus />
          <Button
            variant="filled"
            tone={tone}
            label={confirmLabel}
            busy={isPending}
            disabled={disabledReason}
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
