// The filter of a time: a range of days in UTC. The browser's date inputs have no time zone, so the time zone of the user cannot
// shift the days.
import { OverlayPanel } from 'primereact/overlaypanel';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';

interface Props {
  label: string;
  value: string;
  /** The server's errors, if no surrounding field shows them. */
  errors?: readonly string[];
  onChange: (value: string) => void;
}

const DAY_MS = 86_400_000;
const formatDay = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** Preset ranges: the text key, and how many days ago the range begins. */
const PRESETS = [
  ['today', 0],
  ['yesterday', 1],
  ['week', 6],
  ['month', 29],
] as const;

export function formatRange(from: string, to: string): string {
  return from || to ? (from === to ? from : `${from}..${to}`) : '';
}

export function parseRange(value: string): [string, string] {
  const [from = '', to = from] = value.split('..');
  return [from.slice(0, 10), to.slice(0, 10)];
}

export function TimeFilter({ label, value, errors = [], onChange }: Props) {
  const { t } = useTranslation();
  const panel = useRef<OverlayPanel>(null);
  const [from, to] = parseRange(value);
  const text = value ? (from === to ? from : `${from || '…'} – ${to || '…'}`) : t('table.any');
  const choose = (value: string) => {
    onChange(value);
    panel.current?.hide();
  };
  return (
    <>
      <button
        type="button"
        className="input input-button"
        data-empty={value ? undefined : true}
        aria-label={`${label}: ${text}`}
        aria-haspopup="dialog"
        title={value ? text : undefined}
        onClick={(event) => panel.current?.toggle(event)}
      >
        {text}
        <i className="pi pi-calendar" aria-hidden />
      </button>
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
      <OverlayPanel ref={panel} aria-label={label}>
        <div className="days">
          {PRESETS.map(([name, daysAgo]) => (
            <Button
              key={name}
              label={t(`table.days.${name}`)}
              onClick={() => {
                const now = Date.now();
                const lastDay = name === 'yesterday' ? now - DAY_MS : now;
                choose(formatRange(formatDay(now - daysAgo * DAY_MS), formatDay(lastDay)));
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
              onChange={(event) => onChange(formatRange(event.target.value, to))}
            />
          </label>
          <label>
            {t('table.days.to')}
            <input
              type="date"
              className="input"
              value={to}
              min={from || undefined}
              onChange={(event) => onChange(formatRange(from, event.target.value))}
            />
          </label>
          <small>{t('table.days.utc')}</small>
          <Button variant="plain" label={t('table.clear')} onClick={() => choose('')} />
        </div>
      </OverlayPanel>
    </>
  );
}
