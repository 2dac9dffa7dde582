// The filter of a time column: a range of days in UTC. The date inputs of the browser have no time zone, so the user's time zone
// cannot shift the days.
import { OverlayPanel } from 'primereact/overlaypanel';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';

interface Props {
  label: string;
  value: string;
  /** The server's errors. Omit them if the component around this filter shows the errors. */
  errors?: readonly string[];
  onChange: (value: string) => void;
}

const DAY_MS = 86_400_000;
const formatDay = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** Preset ranges. Each has its i18n key below `table.days`, and the number of days since its first day. */
const PRESETS = [
  ['today', 0],
  ['yesterday', 1],
  ['week', 6],
  ['month', 29],
] as const;

export function formatDayRange(from: string, to: string): string {
  return from || to ? (from === to ? from : `${from}..${to}`) : '';
}

/** Returns the first and the last day of a range; a single day is both. */
export function parseDayRange(value: string): [string, string] {
  const [from = '', to = from] = value.split('..');
  return [from.slice(0, 10), to.slice(0, 10)];
}

export function TimeFilter({ label, value, errors = [], onChange }: Props) {
  const { t } = useTranslation();
  const overlayRef = useRef<OverlayPanel>(null);
  const [from, to] = parseDayRange(value);
  const rangeText = value ? (from === to ? from : `${from || '…'} – ${to || '…'}`) : t('table.anyValue');
  const applyAndClose = (value: string) => {
    onChange(value);
    overlayRef.current?.hide();
  };
  return (
    <>
      <button
        type="button"
        className="input input-button"
        data-empty={value ? undefined : true}
        aria-label={`${label}: ${rangeText}`}
        aria-haspopup="dialog"
        title={value ? rangeText : undefined}
        onClick={(event) => overlayRef.current?.toggle(event)}
      >
        {rangeText}
        <i className="pi pi-calendar" aria-hidden />
      </button>
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
      <OverlayPanel ref={overlayRef} aria-label={label}>
        <div className="days">
          {PRESETS.map(([name, daysAgo]) => (
            <Button
              key={name}
              label={t(`table.days.${name}`)}
              onClick={() => {
                const now = Date.now();
                const lastDay = name === 'yesterday' ? now - DAY_MS : now;
                applyAndClose(formatDayRange(formatDay(now - daysAgo * DAY_MS), formatDay(lastDay)));
              }}
            />
          ))}
          <label>
            {t('table.days.from')}
            <input
              type="date"
              className="input"
              value={from}
              max={to || undefined}
              onChange={(event) => onChange(formatDayRange(event.target.value, to))}
            />
          </label>
          <label>
            {t('table.days.to')}
            <input
              type="date"
              className="input"
              value={to}
              min={from || undefined}
              onChange={(event) => onChange(formatDayRange(from, event.target.value))}
            />
          </label>
          <small>{t('table.days.utc')}</small>
          <Button variant="plain" label={t('table.clear')} onClick={() => applyAndClose('')} />
        </div>
      </OverlayPanel>
    </>
  );
}
