// A dialog with the keyboard shortcuts, and the checkbox that disables single-key shortcuts.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SHORTCUTS_DISABLED_STORAGE_KEY } from '@/table/useTableShortcuts';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';

/** For each shortcut: its keys, separated by spaces, and the i18n key of its description under `shortcuts`. */
const SHORTCUTS = [
  ['Ctrl K', 'openCommandPalette'],
  ['/', 'searchList'],
  ['j k', 'moveBetweenRows'],
  ['x', 'selectRow'],
  ['Enter', 'openRow'],
  ['Space', 'previewRow'],
  ['↑ ↓', 'moveBetweenPreviews'],
  ['g h', 'goHome'],
  ['g o', 'goOrders'],
  ['g t', 'goTransactions'],
  ['g u', 'goUsers'],
  ['g s', 'goServices'],
  ['Esc', 'closeDialog'],
  ['?', 'showShortcuts'],
] as const;

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [areShortcutsEnabled, setAreShortcutsEnabled] = useState(
    () => localStorage.getItem(SHORTCUTS_DISABLED_STORAGE_KEY) === null,
  );
  const saveShortcutsEnabled = (isEnabled: boolean) => {
    if (isEnabled) localStorage.removeItem(SHORTCUTS_DISABLED_STORAGE_KEY);
    else localStorage.setItem(SHORTCUTS_DISABLED_STORAGE_KEY, '1');
    setAreShortcutsEnabled(isEnabled);
  };
  return (
    <Dialog
      title={t('shell.keyboardShortcuts')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('ui.close')} onClick={onClose} data-autofocus />}
    >
      <dl className="keys">
        {SHORTCUTS.map(([keys, description]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(`shortcuts.${description}`)}</dd>
          </div>
        ))}
      </dl>
      <Checkbox label={t('shortcuts.enable')} checked={areShortcutsEnabled} onChange={saveShortcutsEnabled} />
    </Dialog>
  );
}
