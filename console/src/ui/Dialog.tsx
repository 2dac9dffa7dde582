// The one dialog: named, closed by Escape, focus on its first field or its safest button, back to where it came from. While
// something runs in it, nothing closes it: what was typed and the answer to come are not lost.
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
import { focusInto, isEscapeOfList, isFocusLost, opener, returnFocus } from './focus';

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

interface Closing {
  close: () => void;
  held: boolean;
  /** Holds the dialog until the function that it returns is called. */
  hold: () => () => void;
}

const ClosingContext = createContext<Closing>({ close: () => undefined, held: false, hold: () => () => undefined });

/** Holds the dialog around it, where there is one, while `isRunning`. */
export function useHold(isRunning: boolean): void {
  const { hold } = useContext(ClosingContext);
  useEffect(() => (isRunning ? hold() : undefined), [isRunning, hold]);
}

/** The button that closes the dialog around it, such as "Cancel"; it cannot be pressed while the dialog is held. */
export function CloseButton(props: Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'>) {
  const { close, held } = useContext(ClosingContext);
  return <Button {...props} disabled={held} onClick={close} />;
}

export function Dialog({ title, children, footer, onClose, role = 'dialog', wide = false, ...props }: Props) {
  // Calls that run inside of it hold it too.
  const [holds, setHolds] = useState(0);
  const held = props.held === true || holds > 0;
  const hold = useCallback(() => {
    setHolds((holds) => holds + 1);
    return () => setHolds((holds) => holds - 1);
  }, []);
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
  const closing = useMemo(() => ({ close: onClose, held, hold }), [onClose, held, hold]);
  return (
    <ClosingContext value={closing}>
      <PrimeDialog
        ref={dialog}
        visible
        header={title}
        footer={footer}
        onHide={() => held || isEscapeOfList() || onClose()}
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
    </ClosingContext>
  );
}
