// Previews the customer site in both themes, with the unsaved colors of the form.
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseTextColor, computeContrastRatio, getContrastLevel } from '@/ui/contrast';

const BACKGROUNDS = { light: '#ffffff', dark: '#111827' } as const;
const TEXT_COLORS = ['info', 'success', 'warning'] as const;

export function ThemePreview({ getColor }: { getColor: (key: string) => string }) {
  const { t } = useTranslation();
  return (
    <div className="theme-previews">
      {(['light', 'dark'] as const).map((theme) => {
        const getThemeColor = (name: string) => getColor(`colors.${theme}.${name}`);
        const background = BACKGROUNDS[theme];
        const header: CSSProperties = {
          background: `linear-gradient(90deg, ${getThemeColor('header_left')}, ${getThemeColor('header_right')})`,
          color: chooseTextColor(getThemeColor('header_left')),
        };
        // An incomplete color has no contrast ratio. Uses 21, the ratio of black on white, so that the color causes no warning.
        const hasLowContrast = TEXT_COLORS.some(
          (name) => getContrastLevel(computeContrastRatio(getThemeColor(name), background) ?? 21) !== 'allText',
        );
        return (
          <figure key={theme} className="theme-preview" data-theme={theme}>
            <figcaption>{t(`settings.themes.${theme}`)}</figcaption>
            {/* Hidden from screen readers, because the preview is an illustration without controls. */}
            <div aria-hidden style={{ background, color: chooseTextColor(background) }}>
              <div className="theme-header" style={header}>
                {t('settings.sample.header')}
              </div>
              <div className="theme-body">
                <i className="pi pi-star" style={{ color: getThemeColor('icons') }} />
                <span style={{ color: getThemeColor('secondary') }}>{t('settings.sample.text')}</span>
                <span
                  className="theme-button"
                  style={{ background: getThemeColor('primary'), color: chooseTextColor(getThemeColor('primary')) }}
                >
                  {t('settings.sample.button')}
                </span>
              </div>
              <div className="theme-body">
                {TEXT_COLORS.map((name) => (
                  <span key={name} style={{ color: getThemeColor(name) }}>
                    {t(`settings.colors.${name}`)}
                  </span>
                ))}
              </div>
            </div>
            {hasLowContrast && <small className="field-hint">{t('settings.lowContrast')}</small>}
          </figure>
        );
      })}
    </div>
  );
}
