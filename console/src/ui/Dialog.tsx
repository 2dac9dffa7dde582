// The one dialog: named, closed by Escape, focus on its first field or its safest button, back to where it came from.
import { Dialog as PrimeDialog } from 'primereact/dialog';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { focusInto, isFocusLost, opener, returnFocus } from './focus';

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
  const dialog = useRef<PrimeDialog>(null);
  useEffect(() => {
    const from = opener();
    let frame = 0;
    // The stock dialog says that it is shown after its transition, which a busy browser may cut short without a word.
    const enter = () => {
      if (!focusInto(dialog.current?.getElement())) frame = requestAnimationFrame(enter);
    };
    enter();
    return () => {
      cancelAnimationFrame(frame);
      returnFocus(from);
    };
  }, []);
  // A step that replaces another, and a button that is disabled while it works, take the focus away with them.
  useEffect(() => {
    if (isFocusLost()) focusInto(dialog.current?.getElement());
  });
  return (
    <PrimeDialog
      ref={dialog}
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
      onShow={() => focusInto(dialog.current?.getElement())}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      ariaCloseIconLabel={t('ui.close')}
      pt={{ root: { role } }}
    >
      {children}
    </PrimeDialog>
  );
}
