// The dialog of an action that cannot be undone: focus on the safe button, the other one says why it cannot be pressed.
import type { ReactNode } from 'react';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import type { usePreviewedAction } from './usePreviewedAction';

interface Props {
  action: ReturnType<typeof usePreviewedAction<unknown>>;
  title: string;
  /** The safe button. */
  keep: string;
  confirm: string;
  children: ReactNode;
  /** What the person fills in to confirm, below the problem. */
  confirmation?: ReactNode;
  wide?: boolean;
  onClose: () => void;
}

export function FinalDialog({ action, title, keep, confirm, children, confirmation, wide = false, onClose }: Props) {
  const { problem, retry, isPending, refusal, start } = action;
  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={onClose}
      held={isPending}
      wide={wide}
      footer={
        <>
          <CloseButton label={keep} data-autofocus />
          <Button
            look="filled"
            tone="danger"
            label={confirm}
            busy={isPending}
            disabled={refusal}
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
