// Moves the focus into a dialog when the dialog opens, and back to the element that opened it when it closes.

/** Menus and option lists. They close when the user selects an item, so the focus cannot return to them. */
const POPUP_SELECTOR = '.p-menu, .p-dropdown-panel, .p-multiselect-panel, .p-autocomplete-panel';

/** Option lists that are open and not in their closing transition. */
const OPEN_LIST_SELECTOR = ['.p-dropdown-panel', '.p-multiselect-panel', '.p-autocomplete-panel']
  .map((panel) => `${panel}:not(.p-connected-overlay-exit)`)
  .join(', ');

/** Text inputs, including those inside of PrimeReact components. */
const FIELD_SELECTOR = ['input:not([type=hidden])', 'textarea', 'select']
  .map((field) => `${field}:not(:disabled)`)
  .join(', ');

/** Selectors of a dialog's initial focus in order of preference; its close button comes last. */
const INITIAL_FOCUS_SELECTORS = [
  '[data-autofocus]:not(:disabled)',
  FIELD_SELECTOR.split(', ')
    .map((field) => `.p-dialog-content ${field}`)
    .join(', '),
  '.p-dialog-footer button:not(:disabled)',
  'button:not(:disabled), a[href]',
];

let lastFocusedOutsidePopups: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(POPUP_SELECTOR)) lastFocusedOutsidePopups = target;
});

let isEscapeClosingList = false;

// Listens in the capture phase, because PrimeReact may close the list before the bubble phase.
document.addEventListener(
  'keydown',
  ({ key }) => {
    if (key !== 'Escape' || !document.querySelector(OPEN_LIST_SELECTOR)) return;
    isEscapeClosingList = true;
    setTimeout(() => {
      isEscapeClosingList = false;
    });
  },
  { capture: true },
);

/** Whether the current Escape key event closes a list and therefore must not close the dialog around it. */
export function doesEscapeCloseList(): boolean {
  return isEscapeClosingList;
}

/** The element outside of menus and option lists that had the focus last. */
export function getLastFocusedElement(): HTMLElement | null {
  return lastFocusedOutsidePopups;
}

/** Whether no element has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Sets the initial focus of a dialog, unless the focus is already inside of it. Returns whether it is inside afterwards. */
export function focusDialog(dialog: HTMLElement | null | undefined): boolean {
  if (!dialog) return false;
  if (document.activeElement !== dialog && dialog.contains(document.activeElement)) return true;
  for (const selector of INITIAL_FOCUS_SELECTORS) {
    const target = [...dialog.querySelectorAll<HTMLElement>(selector)].find(
      (element) => element.getClientRects().length > 0,
    );
    if (!target) continue;
    target.focus();
    return dialog.contains(document.activeElement);
  }
  return false;
}

/** Focuses the first invalid field of a form. */
export function focusFirstInvalid(form: HTMLElement | null): void {
  for (const invalidElement of form?.querySelectorAll<HTMLElement>('[aria-invalid=true], .p-invalid, .field-error') ??
    []) {
    const container = invalidElement.matches('.field-error') ? invalidElement.parentElement : invalidElement;
    const field = invalidElement.matches(FIELD_SELECTOR)
      ? invalidElement
      : container?.querySelector<HTMLElement>(FIELD_SELECTOR);
    field?.focus();
    if (field) return;
  }
}

/** Returns the focus to the element that opened the dialog, or to the heading of the screen if that element is not visible. */
export function returnFocus(opener: HTMLElement | null): void {
  const isVisible = opener?.isConnected && opener.getClientRects().length > 0;
  const target = isVisible ? opener : document.querySelector<HTMLElement>('main h1');
  target?.focus({ preventScroll: isVisible === true });
}
