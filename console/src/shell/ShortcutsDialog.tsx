// A dialog with the keyboard shortcuts, and the checkbox that disables single-key shortcuts.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SHORTCUTS_OFF_KEY } from '@/table/useTableShortcuts';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';

/** The keys, and the name of the text under `keys`. */
const SHORTCUTS = [
  ['Ctrl K', 'jump'],
  ['/', 'search'],
  ['j k', 'row'],
  ['x', 'mark'],
  ['Enter', 'open'],
  ['Space', 'peek'],
  ['↑ ↓', 'peekStep'],
  ['g h', 'goHome'],
  ['g o', 'goOrders'],
  ['g t', 'goTransactions'],
  ['g u', 'goUsers'],
  ['g s', 'goServices'],
  ['Esc', 'close'],
  ['?', 'help'],
] as const;

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [areDisabled, setAreDisabled] = useState(() => localStorage.getItem(SHORTCUTS_OFF_KEY) !== null);
  const setEnabled = (isEnabled: boolean) => {
    if (isEnabled) localStorage.removeItem(SHORTCUTS_OFF_KEY);
    else localStorage.setItem(SHORTCUTS_OFF_KEY, '1');
    setAreDisabled(!isEnabled);
  };
  return (
    <Dialog
      title={t('shell.keys')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('ui.close')} onClick={onClose} data-autofocus />}
    >
      <dl className="keys">
        {SHORTCUTS.map(([key, name]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{t(`keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <Checkbox label={t('keys.on')} checked={!areDisabled} onChange={setEnabled} />
    </Dialog>
  );
}
