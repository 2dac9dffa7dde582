// The dialog that every screen uses. Escape closes it. The focus starts on its first field or on the cancel button, and returns to
// the element that opened the dialog. The user cannot close the dialog while a request of the dialog is pending: otherwise the
// input or the response would be lost.
import { Dialog as PrimeDialog } from 'primereact/dialog';
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { doesEscapeCloseList, focusDialog, getLastFocusedElement, isFocusLost, returnFocus } from './focus';

interface Props {
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  onClose: () => void;
  /** Whether a request is pending, which blocks closing. */
  isBusy?: boolean;
  role?: 'dialog' | 'alertdialog';
  isWide?: boolean;
}

interface ClosingContextValue {
  close: () => void;
  isBlocked: boolean;
  /** Blocks closing until the returned function is called. */
  blockClosing: () => () => void;
}

const ClosingContext = createContext<ClosingContextValue>({
  close: () => undefined,
  isBlocked: false,
  blockClosing: () => () => undefined,
});

/** Blocks closing of the surrounding dialog, if there is one, while `isPending` is true. */
export function useBlockClosing(isPending: boolean): void {
  const { blockClosing } = useContext(ClosingContext);
  useEffect(() => (isPending ? blockClosing() : undefined), [isPending, blockClosing]);
}

/** A button that closes the surrounding dialog, such as "Cancel". It is disabled while closing is blocked. */
export function CloseButton(props: Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'>) {
  const { close, isBlocked } = useContext(ClosingContext);
  return <Button {...props} disabled={isBlocked} onClick={close} />;
}

export function Dialog({ title, children, footer, onClose, role = 'dialog', isWide = false, ...props }: Props) {
  // The number of pending requests of components inside of the dialog.
  const [blockCount, setBlockCount] = useState(0);
  const isBlocked = props.isBusy === true || blockCount > 0;
  const blockClosing = useCallback(() => {
    setBlockCount((count) => count + 1);
    return () => setBlockCount((count) => count - 1);
  }, []);
  const { t } = useTranslation();
  const dialog = useRef<PrimeDialog>(null);
  useEffect(() => {
    const opener = getLastFocusedElement();
    let animationFrame = 0;
    // Tries again in every frame, because PrimeReact calls `onShow` only after a CSS transition, which a busy browser may skip.
    const moveFocus = () => {
      if (!focusDialog(dialog.current?.getElement())) animationFrame = requestAnimationFrame(moveFocus);
    };
    moveFocus();
    return () => {
      cancelAnimationFrame(animationFrame);
      returnFocus(opener);
    };
  }, []);
  // The focus gets lost when the dialog shows its next step, or when the focused button becomes disabled.
  useEffect(() => {
    if (isFocusLost()) focusDialog(dialog.current?.getElement());
  });
  const contextValue = useMemo(() => ({ close: onClose, isBlocked, blockClosing }), [onClose, isBlocked, blockClosing]);
  return (
    <ClosingContext value={contextValue}>
      <PrimeDialog
        ref={dialog}
        visible
        header={title}
        footer={footer}
        onHide={() => isBlocked || doesEscapeCloseList() || onClose()}
        closable={!isBlocked}
        closeOnEscape={!isBlocked}
        dismissableMask={false}
        draggable={false}
        resizable={false}
        focusOnShow={false}
        onShow={() => focusDialog(dialog.current?.getElement())}
        className={isWide ? 'dialog dialog-wide' : 'dialog'}
        ariaCloseIconLabel={t('ui.close')}
        pt={{ root: { role } }}
      >
        {children}
      </PrimeDialog>
    </ClosingContext>
  );
}
