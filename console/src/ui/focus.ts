// Focus management of dialogs: into a dialog when it opens, and back to its opener when it closes.

/** Menus and lists that close after a choice: focus cannot return to them. */
const POPUPS = '.p-menu, .p-dropdown-panel, .p-multiselect-panel, .p-autocomplete-panel';

/** Open lists, without those that are being closed. */
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

let last: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(POPUPS)) last = target;
});

let isForOpenList = false;

// In the capture phase, before any list closes: afterwards it is unknown whether the key was for a list.
document.addEventListener(
  'keydown',
  ({ key }) => {
    if (key !== 'Escape' || !document.querySelector(OPEN_LISTS)) return;
    isForOpenList = true;
    setTimeout(() => {
      isForOpenList = false;
    });
  },
  { capture: true },
);

/** Whether the current Escape key event closes an open list, and must not close the dialog around it. */
export function isEscapeForOpenList(): boolean {
  return isForOpenList;
}

/** The last focused element outside of menus and lists. */
export function lastFocused(): HTMLElement | null {
  return last;
}

/** Whether no element has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Sets the initial focus of a dialog, unless the focus is inside of it already. Returns whether it is inside now. */
export function focusDialog(dialog: HTMLElement | null | undefined): boolean {
  if (!dialog) return false;
  if (document.activeElement !== dialog && dialog.contains(document.activeElement)) return true;
  for (const selector of FOCUS_TARGETS) {
    const target = [...dialog.querySelectorAll<HTMLElement>(selector)].find((one) => one.getClientRects().length > 0);
    if (!target) continue;
    target.focus();
    return dialog.contains(document.activeElement);
  }
  return false;
}

/** Focuses the first invalid field of a form. */
export function focusFirstInvalid(form: HTMLElement | null): void {
  for (const wrong of form?.querySelectorAll<HTMLElement>('[aria-invalid=true], .p-invalid, .field-error') ?? []) {
    const around = wrong.matches('.field-error') ? wrong.parentElement : wrong;
    const field = wrong.matches(FIELDS) ? wrong : around?.querySelector<HTMLElement>(FIELDS);
    field?.focus();
    if (field) return;
  }
}

/** Returns the focus to `from`, or to the heading of the screen when `from` is gone. */
export function returnFocus(from: HTMLElement | null): void {
  const isVisible = from?.isConnected && from.getClientRects().length > 0;
  const to = isVisible ? from : document.querySelector<HTMLElement>('main h1');
  to?.focus({ preventScroll: isVisible === true });
}
