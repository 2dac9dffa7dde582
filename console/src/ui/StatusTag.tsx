// Shows a status as a tag with a text, an icon and a color.
import { useTranslation } from 'react-i18next';

export type Tone = 'success' | 'info' | 'warning' | 'error' | 'neutral' | 'scheduled';

/** The tone and the icon of each status of the API. */
const STATUS_STYLES: Record<string, { tone: Tone; icon: string }> = {
  active: { tone: 'success', icon: 'check' },
  completed: { tone: 'success', icon: 'check' },
  paid: { tone: 'success', icon: 'check' },
  approved: { tone: 'success', icon: 'thumbs-up' },
  income: { tone: 'success', icon: 'arrow-down-left' },
  in_processing: { tone: 'info', icon: 'sync' },
  pending: { tone: 'info', icon: 'hourglass' },
  in_moderation: { tone: 'warning', icon: 'eye' },
  frozen: { tone: 'warning', icon: 'lock' },
  stopped: { tone: 'warning', icon: 'pause' },
  canceled: { tone: 'error', icon: 'times' },
  deactivated: { tone: 'error', icon: 'ban' },
  rejected: { tone: 'error', icon: 'thumbs-down' },
  error: { tone: 'error', icon: 'exclamation-triangle' },
  outcome: { tone: 'neutral', icon: 'arrow-up-right' },
  unpaid: { tone: 'neutral', icon: 'wallet' },
  archived: { tone: 'neutral', icon: 'box' },
  disabled: { tone: 'neutral', icon: 'minus-circle' },
  waiting: { tone: 'info', icon: 'hourglass' },
  running: { tone: 'info', icon: 'sync' },
  done: { tone: 'success', icon: 'check' },
  given_up: { tone: 'error', icon: 'times' },
  delivered: { tone: 'success', icon: 'check' },
  failing: { tone: 'warning', icon: 'exclamation-triangle' },
  failed: { tone: 'error', icon: 'times' },
  auto_disabled: { tone: 'error', icon: 'ban' },
  found: { tone: 'info', icon: 'hourglass' },
  placed: { tone: 'success', icon: 'check' },
  skipped: { tone: 'neutral', icon: 'minus-circle' },
  held: { tone: 'warning', icon: 'pause' },
  applied: { tone: 'success', icon: 'check' },
  accepted: { tone: 'success', icon: 'thumbs-up' },
  requested: { tone: 'info', icon: 'hourglass' },
  sent: { tone: 'info', icon: 'sync' },
  confirmed: { tone: 'success', icon: 'check' },
  expired: { tone: 'neutral', icon: 'history' },
  suspected: { tone: 'info', icon: 'hourglass' },
  trying: { tone: 'info', icon: 'sync' },
  quarantined: { tone: 'warning', icon: 'exclamation-triangle' },
  outdated: { tone: 'neutral', icon: 'history' },
  scheduled: { tone: 'scheduled', icon: 'calendar' },
};

export function StatusTag({ status, label }: { status: string; label?: string }) {
  const { t } = useTranslation();
  const style = STATUS_STYLES[status] ?? { tone: 'neutral', icon: 'circle' };
  const text = label ?? t(`status.${status}` as 'status.active', { defaultValue: status });
  return (
    <span className={`tag tag-${style.tone}`}>
      <i className={`pi pi-${style.icon}`} aria-hidden />
      {text}
    </span>
  );
}
