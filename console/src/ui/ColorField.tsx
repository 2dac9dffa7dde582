// An input for a color: a color picker and a text field for the hex code. It shows the contrast between the color and its
// background.
import { useTranslation } from 'react-i18next';
import { computeContrastRatio, getContrastLevel } from './contrast';

interface Props {
  id: string;
  label: string;
  value: string;
  /** The background color as a hex code, such as `#ffffff`. */
  background: string;
  onChange: (value: string) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

const CONTRAST_ICONS = { allText: 'check-circle', largeText: 'info-circle', tooLow: 'exclamation-triangle' } as const;

export function ColorField({ label, value, background, onChange, ...controlProps }: Props) {
  const { t } = useTranslation();
  const ratio = computeContrastRatio(value, background);
  const level = ratio === null ? null : getContrastLevel(ratio);
  return (
    <div className="color-field">
      <input
        type="color"
        aria-label={t('ui.color.choose', { name: label })}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : '#000000'}
        onChange={(event) => onChange(event.target.value)}
      />
      <input
        {...controlProps}
        className="input"
        value={value}
        maxLength={7}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      {ratio !== null && level && (
        <span className="color-ratio" data-contrast={level} title={t(`ui.color.${level}`)}>
          <i className={`pi pi-${CONTRAST_ICONS[level]}`} aria-hidden />
          {t('ui.color.ratio', { ratio: ratio.toFixed(2) })}
          <span className="sr">{t(`ui.color.${level}`)}</span>
        </span>
      )}
    </div>
  );
}
