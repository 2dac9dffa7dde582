// A colour: chosen or typed, with how well it stands out from the ground that it will stand on.
import { useTranslation } from 'react-i18next';
import { contrast, grade } from './contrast';

interface Props {
  id: string;
  label: string;
  value: string;
  /** What it stands on, such as `#ffffff`. */
  ground: string;
  onChange: (value: string) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

const ICONS = { text: 'check-circle', large: 'info-circle', none: 'exclamation-triangle' } as const;

export function ColorField({ label, value, ground, onChange, ...given }: Props) {
  const { t } = useTranslation();
  const ratio = contrast(value, ground);
  const is = ratio === null ? null : grade(ratio);
  return (
    <div className="color-field">
      <input
        type="color"
        aria-label={t('ui.color.choose', { name: label })}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : '#000000'}
        onChange={(event) => onChange(event.target.value)}
      />
      <input
        {...given}
        className="input"
        value={value}
        maxLength={7}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      {ratio !== null && is && (
        <span className="color-ratio" data-grade={is} title={t(`ui.color.${is}`)}>
          <i className={`pi pi-${ICONS[is]}`} aria-hidden />
          {t('ui.color.ratio', { ratio: ratio.toFixed(2) })}
          <span className="sr">{t(`ui.color.${is}`)}</span>
        </span>
      )}
    </div>
  );
}
