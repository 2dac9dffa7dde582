// The dialog that every screen uses. Escape closes it. The focus starts on its first field or on the button that changes nothing,
// and returns to the element that opened the dialog. The user cannot close the dialog while a call inside of it is pending:
// otherwise the input or the response would be lost.
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
import { focusDialog, isEscapeForOpenList, isFocusLost, lastFocusedElement, returnFocus } from './focus';

interface Props {
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  onClose: () => void;
  /** Whether a call is pending, which blocks closing. */
  isBusy?: boolean;
  role?: 'dialog' | 'alertdialog';
  wide?: boolean;
}

interface ClosingContextValue {
  close: () => void;
  isBlocked: boolean;
  /** Blocks closing until the returned function is called. */
  block: () => () => void;
}

const ClosingContext = createContext<ClosingContextValue>({
  close: () => undefined,
  isBlocked: false,
  block: () => () => undefined,
});

/** Blocks closing of the dialog around the caller, if there is one, while `isRunning`. */
export function useBlockClosing(isRunning: boolean): void {
  const { block } = useContext(ClosingContext);
  useEffect(() => (isRunning ? block() : undefined), [isRunning, block]);
}

/** A button that closes the dialog around it, such as "Cancel". It is disabled while closing is blocked. */
export function CloseButton(props: Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'>) {
  const { close, isBlocked } = useContext(ClosingContext);
  return <Button {...props} disabled={isBlocked} onClick={close} />;
}

export function Dialog({ title, children, footer, onClose, role = 'dialog', wide = false, ...props }: Props) {
  // The number of pending calls in components inside of the dialog.
  const [blockCount, setBlockCount] = useState(0);
  const isBlocked = props.isBusy === true || blockCount > 0;
  const block = useCallback(() => {
    setBlockCount((count) => count + 1);
    return () => setBlockCount((count) => count - 1);
  }, []);
  const { t } = useTranslation();
  const dialog = useRef<PrimeDialog>(null);
  useEffect(() => {
    const opener = lastFocusedElement();
    let frame = 0;
    // Tries in every frame, because PrimeReact calls `onShow` only after a CSS transition, which a busy browser may skip.
    const moveFocus = () => {
      if (!focusDialog(dialog.current?.getElement())) frame = requestAnimationFrame(moveFocus);
    };
    moveFocus();
    return () => {
      cancelAnimationFrame(frame);
      returnFocus(opener);
    };
  }, []);
  // The focus gets lost when the dialog shows its next step, or when the focused button becomes disabled.
  useEffect(() => {
    if (isFocusLost()) focusDialog(dialog.current?.getElement());
  });
  const contextValue = useMemo(() => ({ close: onClose, isBlocked, block }), [onClose, isBlocked, block]);
  return (
    <ClosingContext value={contextValue}>
      <PrimeDialog
        ref={dialog}
        visible
        header={title}
        footer={footer}
        onHide={() => isBlocked || isEscapeForOpenList() || onClose()}
        closable={!isBlocked}
        closeOnEscape={!isBlocked}
        dismissableMask={false}
        draggable={false}
        resizable={false}
        focusOnShow={false}
        onShow={() => focusDialog(dialog.current?.getElement())}
        className={wide ? 'dialog dialog-wide' : 'dialog'}
        ariaCloseIconLabel={t('ui.close')}
        pt={{ root: { role } }}
      >
        {children}
      </PrimeDialog>
    </ClosingContext>
  );
}
