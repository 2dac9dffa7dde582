// The logo or the name of the panel, from the settings. The color scheme and the size of the screen decide which logo is shown.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useColorScheme } from '@/theme/theme';
import { useSettings } from './settings';

export function Brand() {
  const { t } = useTranslation();
  const { is_child, inhouse, logo_destination_url } = useSettings();
  const panelType = is_child ? t('shell.brand.isChild') : inhouse ? t('shell.brand.inhouse') : null;
  return (
    <div className="brand">
      {logo_destination_url ? (
        <a className="brand-link" href={logo_destination_url} target="_blank" rel="noreferrer">
          <LogoOrName />
        </a>
      ) : (
        <LogoOrName />
      )}
      {panelType && <span className="tag">{panelType}</span>}
    </div>
  );
}

function LogoOrName(): ReactNode {
  const { panel_name, logo_alt, light_logo, dark_logo, mobile_logo } = useSettings();
  const logo = useColorScheme() === 'dark' ? (dark_logo ?? light_logo) : (light_logo ?? dark_logo);
  if (logo) {
    return (
      <picture>
        {mobile_logo && <source media="(max-width: 600px)" srcSet={mobile_logo} />}
        <img className="brand-logo" src={logo} alt={logo_alt ?? panel_name} title={panel_name} />
      </picture>
    );
  }
  return (
    <>
      <span className="brand-mark" aria-hidden>
        <i className="pi pi-bolt" />
      </span>
      <span className="brand-name" title={logo_alt ?? panel_name}>
        {panel_name}
      </span>
    </>
  );
}
