// The label and the hint of each setting. Both themes use the same labels for their colors, and all banner settings of a placement use
// the same label.
import { useTranslation } from 'react-i18next';

export interface SettingTexts {
  label: string;
  hint?: string;
}

/** Returns a function that returns the texts of a setting by its key. */
export function useSettingTexts(): (key: string) => SettingTexts {
  const { t, i18n } = useTranslation();
  return (key) => {
    // Keys such as `colors.<theme>.<color>` and `banners.<placement>.…`.
    const [area = '', themeOrPlacement = '', colorName = ''] = key.split('.');
    if (area === 'colors') return { label: t(`settings.colors.${colorName as 'primary'}`) };
    if (area === 'banners') return { label: t(`settings.banners.${themeOrPlacement as 'sidebar'}`) };
    const flatKey = key.replaceAll('.', '_');
    const label = t(`settings.fields.${flatKey as 'panel_name'}`);
    const hintKey = `settings.hints.${flatKey}`;
    return i18n.exists(hintKey) ? { label, hint: t(hintKey as 'settings.hints.rounding_precision') } : { label };
  };
}
