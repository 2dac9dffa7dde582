// The keyboard shortcuts, and the setting that disables single-key shortcuts.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KEYS_OFF } from '@/table/useTableKeys';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';

const KEYS = [
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

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [areDisabled, setAreDisabled] = useState(() => localStorage.getItem(KEYS_OFF) !== null);
  const change = (on: boolean) => {
    if (on) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, '1');
    setAreDisabled(!on);
  };
  return (
    <Dialog
      title={t('shell.keys')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('ui.close')} onClick={onClose} data-autofocus />}
    >
      <dl className="keys">
        {KEYS.map(([key, name]) => (
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
      <Checkbox label={t('keys.on')} checked={!areDisabled} onChange={change} />
    </Dialog>
  );
}
