// What the customers' site looks like in the colours of the form, in both themes, as they are typed.
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { contrastLevel, contrastRatio, textColorOn } from '@/ui/contrast';

const GROUNDS = { light: '#ffffff', dark: '#111827' } as const;
const MARKS = ['info', 'success', 'warning'] as const;

export function Preview({ color }: { color: (key: string) => string }) {
  const { t } = useTranslation();
  return (
    <div className="theme-previews">
      {(['light', 'dark'] as const).map((theme) => {
        const of = (name: string) => color(`colors.${theme}.${name}`);
        const ground = GROUNDS[theme];
        const header: CSSProperties = {
          background: `linear-gradient(90deg, ${of('header_left')}, ${of('header_right')})`,
          color: textColorOn(of('header_left')),
        };
        const poor = MARKS.concat().filter((name) => contrastLevel(contrastRatio(of(name), ground) ?? 21) !== 'text');
        return (
          <figure key={theme} className="theme-preview" data-theme={theme}>
            <figcaption>{t(`settings.themes.${theme}`)}</figcaption>
            {/* A picture of a page, not a page: nothing in it can be read out or pressed. */}
            <div aria-hidden style={{ background: ground, color: textColorOn(ground) }}>
              <div className="theme-header" style={header}>
                {t('settings.sample.header')}
              </div>
              <div className="theme-body">
                <i className="pi pi-star" style={{ color: of('icons') }} />
                <span style={{ color: of('secondary') }}>{t('settings.sample.text')}</span>
                <span className="theme-button" style={{ background: of('primary'), color: textColorOn(of('primary')) }}>
                  {t('settings.sample.button')}
                </span>
              </div>
              <div className="theme-body">
                {MARKS.map((name) => (
                  <span key={name} style={{ color: of(name) }}>
                    {t(`settings.colors.${name}`)}
                  </span>
                ))}
              </div>
            </div>
            {poor.length > 0 && <small className="field-hint">{t('settings.poor')}</small>}
          </figure>
        );
      })}
    </div>
  );
}
