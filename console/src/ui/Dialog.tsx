// The one dialog: named, closed by Escape, focus on its first field or its safest button, back to where it came from.
import { Dialog as PrimeDialog } from 'primereact/dialog';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  onClose: () => void;
  /** While something runs that must not be left alone. */
  held?: boolean;
  role?: 'dialog' | 'alertdialog';
  wide?: boolean;
}

export function Dialog({ title, children, footer, onClose, held = false, role = 'dialog', wide = false }: Props) {
  const { t } = useTranslation();
  return (
    <PrimeDialog
      visible
      header={title}
      footer={footer}
      onHide={onClose}
      closable={!held}
      closeOnEscape={!held}
      dismissableMask={false}
      draggable={false}
      resizable={false}
      focusOnShow={false}
      onShow={focusFirst}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      ariaCloseIconLabel={t('ui.close')}
      pt={{ root: { role } }}
    >
      {children}
    </PrimeDialog>
  );
}

/** `data-autofocus` says where; a stock dialog would land on its closing cross. */
function focusFirst(): void {
  const dialogs = document.querySelectorAll<HTMLElement>('.dialog');
  const dialog = dialogs[dialogs.length - 1];
  // Whoever was quicker than the dialog's arrival keeps their place: what they type belongs there.
  if (dialog?.querySelector('input:focus, textarea:focus')) return;
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
}
