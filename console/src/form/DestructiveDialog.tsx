// The dialog of an action that cannot be undone. The focus starts on the cancel button. While the confirm button is disabled, it
// shows the reason.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { usePreviewedAction } from './usePreviewedAction';

interface Props {
  action: ReturnType<typeof usePreviewedAction<unknown>>;
  title: string;
  /** Label of the button that closes the dialog without the action. */
  cancelLabel: string;
  confirmLabel: string;
  children: ReactNode;
  /** Fields that the user fills in to confirm; they are shown below the problem. */
  confirmation?: ReactNode;
  wide?: boolean;
  onClose: () => void;
}

export function DestructiveDialog({
  action,
  title,
  cancelLabel,
  confirmLabel,
  children,
  confirmation,
  wide = false,
  onClose,
}: Props) {
  const { problem, retry, isPending, disabledReason, start } = action;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      isBusy={isPending}
      wide={wide}
      footer={
        <>
          <CloseButton label={cancelLabel} data-autofocus />
          <Button
            variant="filled"
            tone="danger"
            label={confirmLabel}
            busy={isPending}
            disabled={disabledReason}
            onClick={() => void start()}
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
