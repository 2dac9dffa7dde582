// Renders the toasts. A toast disappears after it had neither the pointer nor the focus for ten seconds. Screen readers announce an
// error immediately (`alert`), and other toasts after the current sentence (`status`).
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { dismissToast, type Toast, useToasts } from './toasts';

const TOAST_DURATION_MS = 10_000;
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
    const timer = window.setTimeout(() => dismissToast(toast.id), TOAST_DURATION_MS);
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
            dismissToast(toast.id);
            toast.action?.onClick();
          }}
        />
      )}
      <Button variant="plain" iconOnly icon="times" label={t('ui.close')} onClick={() => dismissToast(toast.id)} />
    </div>
  );
}
