// Where the keyboard is while dialogs open and close: into a dialog that opens, back to what opened it when it closes.

/** Lists and menus that close by what is chosen in them: focus cannot return there. */
const POPUPS = '.p-menu, .p-dropdown-panel, .p-multiselect-panel, .p-autocomplete-panel';

/** Lists that are open, and not on their way out. */
const OPEN_LISTS = ['.p-dropdown-panel', '.p-multiselect-panel', '.p-autocomplete-panel']
  .map((panel) => `${panel}:not(.p-connected-overlay-exit)`)
  .join(', ');

/** What takes what is typed. Stock pickers hold such an input as well. */
const FIELDS = ['input:not([type=hidden])', 'textarea', 'select'].map((field) => `${field}:not(:disabled)`).join(', ');

/** Where to look in a dialog, best first; its closing cross only where there is nothing else. */
const PLACES = [
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

let isForList = false;

// Before any list closes: afterwards it is unknown which one the key was for.
document.addEventListener(
  'keydown',
  ({ key }) => {
    if (key !== 'Escape' || !document.querySelector(OPEN_LISTS)) return;
    isForList = true;
    setTimeout(() => {
      isForList = false;
    });
  },
  { capture: true },
);

/** Whether the Escape that is pressed now closes a list, and nothing around it. */
export function isEscapeOfList(): boolean {
  return isForList;
}

/** What had the focus last, but for menus that are closed by now. */
export function opener(): HTMLElement | null {
  return last;
}

/** Whether a key that is pressed now reaches nothing. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Focuses what a dialog begins with, unless the keyboard is in it already and may have moved on. Whether it is inside now. */
export function focusInto(dialog: HTMLElement | null | undefined): boolean {
  if (!dialog) return false;
  if (document.activeElement !== dialog && dialog.contains(document.activeElement)) return true;
  for (const place of PLACES) {
    const found = [...dialog.querySelectorAll<HTMLElement>(place)].find((one) => one.getClientRects().length > 0);
    if (!found) continue;
    found.focus();
    return dialog.contains(document.activeElement);
  }
  return false;
}

/** Focuses the first field of a form that something is wrong with. */
export function focusWrong(form: HTMLElement | null): void {
  for (const wrong of form?.querySelectorAll<HTMLElement>('[aria-invalid=true], .p-invalid, .field-error') ?? []) {
    const around = wrong.matches('.field-error') ? wrong.parentElement : wrong;
    const field = wrong.matches(FIELDS) ? wrong : around?.querySelector<HTMLElement>(FIELDS);
    field?.focus();
    if (field) return;
  }
}

/** Back to `from`; where that is gone with what was changed, to the heading of the screen. */
export function returnFocus(from: HTMLElement | null): void {
  const isThere = from?.isConnected && from.getClientRects().length > 0;
  const to = isThere ? from : document.querySelector<HTMLElement>('main h1');
  to?.focus({ preventScroll: isThere === true });
}
