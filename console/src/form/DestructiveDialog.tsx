// The dialog of an action that cannot be undone. The focus starts on the cancel button. A disabled confirm button shows the reason.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { usePreviewedAction } from './usePreviewedAction';

interface Props {
  action: ReturnType<typeof usePreviewedAction<unknown>>;
  title: string;
  /** The label of the button that closes the dialog without running the action. */
  cancelLabel: string;
  confirmLabel: string;
  children: ReactNode;
  /** Fields that the user must fill in to confirm. They are shown below the problem. */
  confirmation?: ReactNode;
  isWide?: boolean;
  onClose: () => void;
}

export function DestructiveDialog({
  action,
  title,
  cancelLabel,
  confirmLabel,
  children,
  confirmation,
  isWide = false,
  onClose,
}: Props) {
  const { problem, retry, isPending, disabledReason, confirm } = action;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      isBusy={isPending}
      isWide={isWide}
      footer={
        <>
          <CloseButton label={cancelLabel} data-autofocus />
          <Button
            variant="filled"
            tone="danger"
            label={confirmLabel}
            busy={isPending}
            disabled={disabledReason}
            onClick={() => void confirm()}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      <div className="form">
        {children}
        {problem && <ProblemBar problem={problem} {...(retry ? { onRetry: retry } : {})} />}
        {confirmation}
      </div>
    </Dialog>
  );
}
