// The tooltip of icon buttons: opens shortly after the pointer enters a button, or at once on keyboard focus. One instance serves
// the whole console: it reads `data-tip` of the target, so that a button needs only its text.
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

const OPEN_DELAY_MS = 100;
/** Long enough to move the pointer from the button onto the tooltip. */
const CLOSE_DELAY_MS = 150;
const GAP_PX = 6;
/** Space that a tooltip needs above a button; with less it is placed below. */
const ABOVE_PX = 48;

/** The console's buttons, and the close button of PrimeReact's dialog. */
const TARGETS = '[data-tip], .p-dialog-header-icon[aria-label]';

interface OpenTooltip {
  target: Element;
  text: string;
  /** Whether the pointer may move onto it; a tooltip that keyboard focus opened ignores the pointer. */
  isHoverable: boolean;
}

const targetOf = (at: EventTarget | null) => (at instanceof Element ? at.closest(TARGETS) : null);
const textOf = (target: Element) => target.getAttribute('data-tip') ?? target.getAttribute('aria-label') ?? '';

export function Tooltip() {
  const [shown, setShown] = useState<OpenTooltip | null>(null);
  const tip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let isKeyboard = false;
    let pointed: Element | null = null;
    const schedule = (act: () => void, ms: number) => {
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
        if (target) schedule(() => show(target, true), OPEN_DELAY_MS);
        else schedule(() => setShown((now) => (now?.isHoverable ? null : now)), CLOSE_DELAY_MS);
      },
      pointerout: ({ relatedTarget }: PointerEvent) => {
        if (relatedTarget) return;
        // The pointer left the window.
        pointed = null;
        hide();
      },
      // A click hides the tooltip, which must not cover what the click opens.
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
      // Renders again, so that it moves with its target.
      scroll: () => setShown((now) => now && { ...now }),
    };
    const entries = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of entries) document.addEventListener(name, listener, true);
    return () => {
      window.clearTimeout(timer);
      for (const [name, listener] of entries) document.removeEventListener(name, listener, true);
    };
  }, []);

  if (!shown?.target.isConnected) return null;
  return createPortal(
    <div
      ref={tip}
      role="tooltip"
      className="tooltip"
      data-hoverable={shown.isHoverable}
      style={positionOf(shown.target)}
    >
      {shown.text}
    </div>,
    document.getElementById('overlays') ?? document.body,
  );
}

/** Above the target, or below it without enough room, and always inside of the window. */
function positionOf(target: Element): CSSProperties {
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isAbove = top > ABOVE_PX;
  // Near a side of the window it is aligned with the button's edge, so that its text has room.
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
