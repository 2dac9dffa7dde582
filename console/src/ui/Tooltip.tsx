// What an icon button does, in words beside it: soon after the pointer rests on it, at once when the keyboard comes to it.
// One for the whole console: it reads `data-tip` of what is pointed at, so a button needs nothing but its text.
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

const OPEN_DELAY_MS = 100;
/** Long enough to move the pointer from the button onto the tooltip. */
const CLOSE_DELAY_MS = 150;
const GAP_PX = 6;
/** Space that a tooltip needs above a button; with less it stands below. */
const ABOVE_PX = 48;

/** Buttons of ours, and the cross of a dialog, which the component library draws. */
const TARGETS = '[data-tip], .p-dialog-header-icon[aria-label]';

interface Shown {
  target: Element;
  text: string;
  /** The pointer may move onto it; one that the keyboard opened lies in no pointer's way. */
  isHoverable: boolean;
}

const targetOf = (at: EventTarget | null) => (at instanceof Element ? at.closest(TARGETS) : null);
const textOf = (target: Element) => target.getAttribute('data-tip') ?? target.getAttribute('aria-label') ?? '';

export function Tooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const tip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let isKeyboard = false;
    let pointed: Element | null = null;
    const later = (act: () => void, ms: number) => {
      window.clearTimeout(timer);
      timer = window.setTimeout(act, ms);
    };
    const show = (target: Element, isHoverable: boolean) => {
      const text = textOf(target);
      if (text && target.isConnected) setShown({ target, text, isHoverable });
    };
    const hide = () => {
      window.clearTimeout(timer);
      setShown(null);
    };
    const listeners = {
      pointerover: ({ target: at, pointerType }: PointerEvent) => {
        if (pointerType === 'touch') return;
        if (at instanceof Element && tip.current?.contains(at)) {
          pointed = at;
          return window.clearTimeout(timer);
        }
        const target = targetOf(at);
        if (target === pointed) return;
        pointed = target;
        if (target) later(() => show(target, true), OPEN_DELAY_MS);
        else later(() => setShown((now) => (now?.isHoverable ? null : now)), CLOSE_DELAY_MS);
      },
      pointerout: ({ relatedTarget }: PointerEvent) => {
        if (relatedTarget) return;
        // The pointer left the window.
        pointed = null;
        hide();
      },
      // A button that was pressed is understood; what opens now must not lie under its tooltip.
      pointerdown: ({ target: at }: PointerEvent) => {
        isKeyboard = false;
        if (at instanceof Node && tip.current?.contains(at)) return;
        hide();
        pointed = targetOf(at);
      },
      keydown: ({ key }: KeyboardEvent) => {
        isKeyboard = true;
        if (['Escape', 'Enter', ' '].includes(key)) hide();
      },
      focusin: ({ target: at }: FocusEvent) => {
        const target = targetOf(at);
        if (isKeyboard && target === at && target) show(target, false);
        else setShown((now) => (now?.isHoverable ? now : null));
      },
      focusout: () => setShown((now) => (now?.isHoverable ? now : null)),
      // It moves along with its button.
      scroll: () => setShown((now) => now && { ...now }),
    };
    const each = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of each) document.addEventListener(name, listener, true);
    return () => {
      window.clearTimeout(timer);
      for (const [name, listener] of each) document.removeEventListener(name, listener, true);
    };
  }, []);

  if (!shown?.target.isConnected) return null;
  return createPortal(
    <div ref={tip} role="tooltip" className="tooltip" data-hoverable={shown.isHoverable} style={placeOf(shown.target)}>
      {shown.text}
    </div>,
    document.getElementById('overlays') ?? document.body,
  );
}

/** Above the button, below it where there is no room, and never beyond the side of the window. */
function placeOf(target: Element): CSSProperties {
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isAbove = top > ABOVE_PX;
  // Near a side it begins or ends with the button, so that its text has room.
  const { innerWidth: width, innerHeight: height } = window;
  const isNearEnd = right > width - 140;
  const isNearStart = left < 140;
  return {
    ...(isAbove ? { bottom: height - top + GAP_PX } : { top: bottom + GAP_PX }),
    ...(isNearStart
      ? { left: Math.max(left, 4) }
      : isNearEnd
        ? { right: Math.max(width - right, 4) }
        : { left: (left + right) / 2, transform: 'translateX(-50%)' }),
  };
}
