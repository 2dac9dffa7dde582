// The tooltip of icon buttons. It opens shortly after the pointer enters a button, and immediately if the button gets the focus by
// keyboard. The console renders one instance, which reads its text from the attribute `data-tip` of the button.
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

const OPEN_DELAY_MS = 100;
/** Long enough to move the pointer from the button onto the tooltip. */
const CLOSE_DELAY_MS = 150;
const GAP_PX = 6;
/** With less space than this above the button, the tooltip is shown below the button. */
const MIN_SPACE_ABOVE_PX = 48;
/**
 * With less space than this beside the button, a centered tooltip would leave the window: it is aligned with the edge of the
 * button.
 */
const MIN_SPACE_AT_SIDE_PX = 140;

/** Buttons of the console with a tooltip, and the close button of PrimeReact's dialog. */
const BUTTON_SELECTOR = '[data-tip], .p-dialog-header-icon[aria-label]';

interface OpenTooltip {
  target: Element;
  text: string;
  /** Whether the pointer has opened the tooltip and may move onto it. A tooltip that was opened by keyboard ignores the pointer. */
  isHoverable: boolean;
}

const findButton = (element: EventTarget | null) =>
  element instanceof Element ? element.closest(BUTTON_SELECTOR) : null;
const getTooltipText = (target: Element) => target.getAttribute('data-tip') ?? target.getAttribute('aria-label') ?? '';

export function Tooltip() {
  const [openTooltip, setOpenTooltip] = useState<OpenTooltip | null>(null);
  const tooltip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let isUsingKeyboard = false;
    let hoveredElement: Element | null = null;
    const schedule = (callback: () => void, ms: number) => {
      window.clearTimeout(timer);
      timer = window.setTimeout(callback, ms);
    };
    const show = (target: Element, isHoverable: boolean) => {
      const text = getTooltipText(target);
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
          hoveredElement = element;
          return window.clearTimeout(timer);
        }
        const target = findButton(element);
        if (target === hoveredElement) return;
        hoveredElement = target;
        if (target) schedule(() => show(target, true), OPEN_DELAY_MS);
        else schedule(() => setOpenTooltip((current) => (current?.isHoverable ? null : current)), CLOSE_DELAY_MS);
      },
      pointerout: ({ relatedTarget }: PointerEvent) => {
        if (relatedTarget) return;
        // The pointer has left the window.
        hoveredElement = null;
        hide();
      },
      // A click hides the tooltip: it must not cover a menu or dialog that the click opens.
      pointerdown: ({ target: element }: PointerEvent) => {
        isUsingKeyboard = false;
        if (element instanceof Node && tooltip.current?.contains(element)) return;
        hide();
        hoveredElement = findButton(element);
      },
      keydown: ({ key }: KeyboardEvent) => {
        isUsingKeyboard = true;
        if (['Escape', 'Enter', ' '].includes(key)) hide();
      },
      focusin: ({ target: element }: FocusEvent) => {
        const target = findButton(element);
        if (isUsingKeyboard && target === element && target) show(target, false);
        else setOpenTooltip((current) => (current?.isHoverable ? current : null));
      },
      focusout: () => setOpenTooltip((current) => (current?.isHoverable ? current : null)),
      // A new object renders the tooltip at the new position of the button.
      scroll: () => setOpenTooltip((current) => current && { ...current }),
    };
    const listenerEntries = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of listenerEntries) document.addEventListener(name, listener, true);
    return () => {
      window.clearTimeout(timer);
      for (const [name, listener] of listenerEntries) document.removeEventListener(name, listener, true);
    };
  }, []);

  if (!openTooltip?.target.isConnected) return null;
  return createPortal(
    <div
      ref={tooltip}
      role="tooltip"
      className="tooltip"
      data-hoverable={openTooltip.isHoverable}
      style={computePosition(openTooltip.target)}
    >
      {openTooltip.text}
    </div>,
    document.getElementById('overlays') ?? document.body,
  );
}

/** Places the tooltip above the button, or below it if there is not enough space, but always inside of the window. */
function computePosition(target: Element): CSSProperties {
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isAbove = top > MIN_SPACE_ABOVE_PX;
  const { innerWidth: width, innerHeight: height } = window;
  const isNearEnd = right > width - MIN_SPACE_AT_SIDE_PX;
  const isNearStart = left < MIN_SPACE_AT_SIDE_PX;
  return {
    ...(isAbove ? { bottom: height - top + GAP_PX } : { top: bottom + GAP_PX }),
    ...(isNearStart
      ? { left: Math.max(left, 4) }
      : isNearEnd
        ? { right: Math.max(width - right, 4) }
        : { left: (left + right) / 2, transform: 'translateX(-50%)' }),
  };
}
