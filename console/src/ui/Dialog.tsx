// The dialog that every screen uses: Escape closes it, focus starts on its first field or its safest button and returns to the
// opener. It cannot be closed while a call runs in it, so that neither the user's input nor the answer is lost.
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
import { focusDialog, isEscapeForOpenList, isFocusLost, lastFocused, returnFocus } from './focus';

interface Props {
  title: string;
  children: ReactNode;
  footer?: ReactNode;
  onClose: () => void;
  /** A call is running: the dialog cannot be closed before it ends. */
  isBusy?: boolean;
  role?: 'dialog' | 'alertdialog';
  wide?: boolean;
}

interface Closing {
  close: () => void;
  isBlocked: boolean;
  /** Blocks closing until the returned function is called. */
  block: () => () => void;
}

const ClosingContext = createContext<Closing>({
  close: () => undefined,
  isBlocked: false,
  block: () => () => undefined,
});

/** Blocks closing of the surrounding dialog, if there is one, while `isRunning`. */
export function useBlockClosing(isRunning: boolean): void {
  const { block } = useContext(ClosingContext);
  useEffect(() => (isRunning ? block() : undefined), [isRunning, block]);
}

/** The button that closes the dialog around it, such as "Cancel"; it is disabled while closing is blocked. */
export function CloseButton(props: Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'>) {
  const { close, isBlocked } = useContext(ClosingContext);
  return <Button {...props} disabled={isBlocked} onClick={close} />;
}

export function Dialog({ title, children, footer, onClose, role = 'dialog', wide = false, ...props }: Props) {
  // Calls that run inside of the dialog block closing too.
  const [blocks, setBlocks] = useState(0);
  const isBlocked = props.isBusy === true || blocks > 0;
  const block = useCallback(() => {
    setBlocks((blocks) => blocks + 1);
    return () => setBlocks((blocks) => blocks - 1);
  }, []);
  const { t } = useTranslation();
  const dialog = useRef<PrimeDialog>(null);
  useEffect(() => {
    const from = lastFocused();
    let frame = 0;
    // PrimeReact calls `onShow` after a CSS transition, which a busy browser may skip.
    const enter = () => {
      if (!focusDialog(dialog.current?.getElement())) frame = requestAnimationFrame(enter);
    };
    enter();
    return () => {
      cancelAnimationFrame(frame);
      returnFocus(from);
    };
  }, []);
  // Focus is lost when a step replaces another, or when the focused button becomes disabled.
  useEffect(() => {
    if (isFocusLost()) focusDialog(dialog.current?.getElement());
  });
  const closing = useMemo(() => ({ close: onClose, isBlocked, block }), [onClose, isBlocked, block]);
  return (
    <ClosingContext value={closing}>
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
