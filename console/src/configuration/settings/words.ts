// What a setting is called, and what there is to know about it. Colours and banner places share their words.
import { useTranslation } from 'react-i18next';

export interface Words {
  label: string;
  hint?: string;
}

export function useWords(): (key: string) => Words {
  const { t, i18n } = useTranslation();
  return (key) => {
    const [first = '', second = '', third = ''] = key.split('.');
    if (first === 'colors') return { label: t(`settings.colors.${third as 'primary'}`) };
    if (first === 'banners') return { label: t(`settings.banners.${second as 'sidebar'}`) };
    const flat = key.replaceAll('.', '_');
    const label = t(`settings.fields.${flat as 'panel_name'}`);
    const hint = `settings.hints.${flat}`;
    return i18n.exists(hint) ? { label, hint: t(hint as 'settings.hints.rounding_precision') } : { label };
  };
}
