// Renders the toasts. A toast disappears after ten seconds without the pointer or the focus on it. An error interrupts a screen
// reader (`alert`), other toasts do not (`status`).
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { dismiss, type Toast, useToasts } from './toasts';

const DURATION_MS = 10_000;
const TONE_ICONS = { success: 'check-circle', error: 'exclamation-circle', info: 'info-circle' } as const;

export function Toasts() {
  const { t } = useTranslation();
  return (
    <section className="toasts" aria-label={t('ui.messages')}>
      {useToasts().map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastView({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [isPaused, setIsPaused] = useState(false);
  useEffect(() => {
    if (isPaused) return;
    const timer = window.setTimeout(() => dismiss(toast.id), DURATION_MS);
    return () => window.clearTimeout(timer);
  }, [isPaused, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only pauses the timer.
    <div
      className={`toast toast-${toast.tone}`}
      role={toast.tone === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setIsPaused(true)}
      onMouseLeave={() => setIsPaused(false)}
      onFocus={() => setIsPaused(true)}
      onBlur={() => setIsPaused(false)}
    >
      <i className={`pi pi-${TONE_ICONS[toast.tone]}`} aria-hidden />
      <div className="toast-text">
        <strong>{toast.text}</strong>
        {toast.detail && <small>{toast.detail}</small>}
      </div>
      {toast.action && (
        <Button
          variant="plain"
          label={toast.action.label}
          onClick={() => {
            dismiss(toast.id);
            toast.action?.run();
          }}
        />
      )}
      <Button variant="plain" iconOnly icon="times" label={t('ui.close')} onClick={() => dismiss(toast.id)} />
    </div>
  );
}
