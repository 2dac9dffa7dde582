// Moves the focus into a dialog when the dialog opens, and back to the element that opened it when it closes.

/** Menus and lists. They close when the user selects an item, so the focus cannot return to them. */
const POPUPS = '.p-menu, .p-dropdown-panel, .p-multiselect-panel, .p-autocomplete-panel';

/** Lists that are open and not about to close. */
const OPEN_LISTS = ['.p-dropdown-panel', '.p-multiselect-panel', '.p-autocomplete-panel']
  .map((panel) => `${panel}:not(.p-connected-overlay-exit)`)
  .join(', ');

/** Text inputs, including those inside of PrimeReact components. */
const FIELDS = ['input:not([type=hidden])', 'textarea', 'select'].map((field) => `${field}:not(:disabled)`).join(', ');

/** Selectors of a dialog's initial focus in order of preference; its close button comes last. */
const FOCUS_TARGETS = [
  '[data-autofocus]:not(:disabled)',
  FIELDS.split(', ')
    .map((field) => `.p-dialog-content ${field}`)
    .join(', '),
  '.p-dialog-footer button:not(:disabled)',
  'button:not(:disabled), a[href]',
];

let lastFocused: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(POPUPS)) lastFocused = target;
});

let isEscapeForList = false;

// In the capture phase, because later the list may be closed already.
document.addEventListener(
  'keydown',
  ({ key }) => {
    if (key !== 'Escape' || !document.querySelector(OPEN_LISTS)) return;
    isEscapeForList = true;
    setTimeout(() => {
      isEscapeForList = false;
    });
  },
  { capture: true },
);

/** Whether the current Escape key event closes a list and therefore must not close the dialog around it. */
export function isEscapeForOpenList(): boolean {
  return isEscapeForList;
}

/** The last focused element outside of menus and lists. */
export function lastFocusedElement(): HTMLElement | null {
  return lastFocused;
}

/** Whether no element has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Sets the initial focus of a dialog, unless the focus is already inside of it. Returns whether it is inside afterwards. */
export function focusDialog(dialog: HTMLElement | null | undefined): boolean {
  if (!dialog) return false;
  if (document.activeElement !== dialog && dialog.contains(document.activeElement)) return true;
  for (const selector of FOCUS_TARGETS) {
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
  for (const invalid of form?.querySelectorAll<HTMLElement>('[aria-invalid=true], .p-invalid, .field-error') ?? []) {
    const container = invalid.matches('.field-error') ? invalid.parentElement : invalid;
    const field = invalid.matches(FIELDS) ? invalid : container?.querySelector<HTMLElement>(FIELDS);
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
