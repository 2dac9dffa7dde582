// Days in UTC, from and to. The browser's own day fields know no time zone, so none can shift the days.
import { OverlayPanel } from 'primereact/overlaypanel';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';

interface Props {
  label: string;
  value: string;
  /** What the server refused of it, where it stands in no field that says so. */
  errors?: readonly string[];
  onChange: (value: string) => void;
}

const DAY_MS = 86_400_000;
const day = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Ready ranges: the name of the text and how many days back they begin. */
const READY = [
  ['today', 0],
  ['yesterday', 1],
  ['week', 6],
  ['month', 29],
] as const;

export function range(from: string, to: string): string {
  return from || to ? (from === to ? from : `${from}..${to}`) : '';
}

export function ends(value: string): [string, string] {
  const [from = '', to = from] = value.split('..');
  return [from.slice(0, 10), to.slice(0, 10)];
}

export function TimeFilter({ label, value, errors = [], onChange }: Props) {
  const { t } = useTranslation();
  const panel = useRef<OverlayPanel>(null);
  const [from, to] = ends(value);
  const shown = value ? (from === to ? from : `${from || '…'} – ${to || '…'}`) : t('table.any');
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
        aria-label={`${label}: ${shown}`}
        aria-haspopup="dialog"
        title={value ? shown : undefined}
        onClick={(event) => panel.current?.toggle(event)}
      >
        {shown}
        <i className="pi pi-calendar" aria-hidden />
      </button>
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
      <OverlayPanel ref={panel} aria-label={label}>
        <div className="days">
          {READY.map(([name, back]) => (
            <Button
              key={name}
              label={t(`table.days.${name}`)}
              onClick={() => {
                const now = Date.now();
                choose(range(day(now - back * DAY_MS), day(name === 'yesterday' ? now - DAY_MS : now)));
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
              onChange={(event) => onChange(range(event.target.value, to))}
            />
          </label>
          <label>
            {t('table.days.to')}
            <input
              type="date"
              className="input"
              value={to}
              min={from || undefined}
              onChange={(event) => onChange(range(from, event.target.value))}
            />
          </label>
          <small>{t('table.days.utc')}</small>
          <Button look="plain" label={t('table.clear')} onClick={() => choose('')} />
        </div>
      </OverlayPanel>
    </>
  );
}
