// The tooltip of icon buttons. It opens shortly after the pointer enters a button, and at once if the button gets the focus by
// keyboard. The console has one instance of it, which reads the text from the attribute `data-tip` of a button.
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

const OPEN_DELAY_MS = 100;
/** Long enough to move the pointer from the button onto the tooltip. */
const CLOSE_DELAY_MS = 150;
const GAP_PX = 6;
/** With less space than this above the button, the tooltip is below it. */
const MIN_SPACE_ABOVE_PX = 48;

/** The console's buttons, and the close button of PrimeReact's dialog. */
const BUTTONS = '[data-tip], .p-dialog-header-icon[aria-label]';

interface OpenTooltip {
  target: Element;
  text: string;
  /** Whether the pointer has opened the tooltip and may move onto it. A tooltip that was opened by keyboard ignores the pointer. */
  isHoverable: boolean;
}

const buttonAround = (element: EventTarget | null) => (element instanceof Element ? element.closest(BUTTONS) : null);
const textOf = (target: Element) => target.getAttribute('data-tip') ?? target.getAttribute('aria-label') ?? '';

export function Tooltip() {
  const [openTooltip, setOpenTooltip] = useState<OpenTooltip | null>(null);
  const tooltip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let wasKeyPressedLast = false;
    let hovered: Element | null = null;
    const schedule = (callback: () => void, ms: number) => {
      window.clearTimeout(timer);
      timer = window.setTimeout(callback, ms);
    };
    const show = (target: Element, isHoverable: boolean) => {
      const text = textOf(target);
      if (text && target.isConnected) setOpenTooltip({ target, text, isHoverable });
    };
    const hide = () => {
      window.clearTimeout(timer);
      setOpenTooltip(null);
    };
    const listeners = {
      pointerover: ({ target: element, pointerType }: PointerEvent) => {
        if (pointerType === 'touch') return;
        if (element instanceof Element && tooltip.current?.contains(element)) {
          hovered = element;
          return window.clearTimeout(timer);
        }
        const target = buttonAround(element);
        if (target === hovered) return;
        hovered = target;
        if (target) schedule(() => show(target, true), OPEN_DELAY_MS);
        else schedule(() => setOpenTooltip((current) => (current?.isHoverable ? null : current)), CLOSE_DELAY_MS);
      },
      pointerout: ({ relatedTarget }: PointerEvent) => {
        if (relatedTarget) return;
        // The pointer has left the window.
        hovered = null;
        hide();
      },
      // A click hides the tooltip: it must not cover a menu or dialog that the click opens.
      pointerdown: ({ target: element }: PointerEvent) => {
        wasKeyPressedLast = false;
        if (element instanceof Node && tooltip.current?.contains(element)) return;
        hide();
        hovered = buttonAround(element);
      },
      keydown: ({ key }: KeyboardEvent) => {
        wasKeyPressedLast = true;
        if (['Escape', 'Enter', ' '].includes(key)) hide();
      },
      focusin: ({ target: element }: FocusEvent) => {
        const target = buttonAround(element);
        if (wasKeyPressedLast && target === element && target) show(target, false);
        else setOpenTooltip((current) => (current?.isHoverable ? current : null));
      },
      focusout: () => setOpenTooltip((current) => (current?.isHoverable ? current : null)),
      // A new object renders the tooltip at the new position of the button.
      scroll: () => setOpenTooltip((current) => current && { ...current }),
    };
    const entries = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of entries) document.addEventListener(name, listener, true);
    return () => {
      window.clearTimeout(timer);
      for (const [name, listener] of entries) document.removeEventListener(name, listener, true);
    };
  }, []);

  if (!openTooltip?.target.isConnected) return null;
  return createPortal(
    <div
      ref={tooltip}
      role="tooltip"
      className="tooltip"
      data-hoverable={openTooltip.isHoverable}
      style={positionOf(openTooltip.target)}
    >
      {openTooltip.text}
    </div>,
    document.getElementById('overlays') ?? document.body,
  );
}

/** Places the tooltip above the button, or below it if there is not enough space, but always inside of the window. */
function positionOf(target: Element): CSSProperties {
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isAbove = top > MIN_SPACE_ABOVE_PX;
  // Near a side of the window, the tooltip is aligned with the edge of the button, because centered it would leave the window.
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
