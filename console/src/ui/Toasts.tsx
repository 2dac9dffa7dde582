// Draws the toasts: ten seconds each, the clock stands still under the pointer or the focus. Errors interrupt a
// screen reader, the rest waits its turn.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { dismiss, type Toast, useToasts } from './toasts';

const LIFE_MS = 10_000;
const ICONS = { success: 'check-circle', error: 'exclamation-circle', info: 'info-circle' } as const;

export function Toasts() {
  const { t } = useTranslation();
  return (
    <section className="toasts" aria-label={t('ui.messages')}>
      {useToasts().map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function One({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => dismiss(toast.id), LIFE_MS);
    return () => window.clearTimeout(timer);
  }, [held, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only stops the clock; nothing is done by it.
    <div
      className={`toast toast-${toast.tone}`}
      role={toast.tone === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <i className={`pi pi-${ICONS[toast.tone]}`} aria-hidden />
      <div className="toast-text">
        <strong>{toast.text}</strong>
        {toast.detail && <small>{toast.detail}</small>}
      </div>
      {toast.action && (
        <Button
          look="plain"
          label={toast.action.label}
          onClick={() => {
            dismiss(toast.id);
            toast.action?.run();
          }}
        />
      )}
      <Button look="plain" iconOnly icon="times" label={t('ui.close')} onClick={() => dismiss(toast.id)} />
    </div>
  );
}
