import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Brand } from './Brand';
import { setFavicon } from './favicon';
import { type PublicSettings, SettingsContext } from './settings';

afterEach(cleanup);

const renderBrand = (settings: Partial<PublicSettings>) =>
  render(
    <SettingsContext value={{ panel_name: 'North', ...settings } as PublicSettings}>
      <Brand />
    </SettingsContext>,
  );

it('shows the logo, or the name of a panel without a logo', () => {
  renderBrand({});
  expect(screen.getByText('North')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
  cleanup();
  renderBrand({
    light_logo: '/uploads/a.png',
    mobile_logo: '/uploads/s.png',
    logo_destination_url: 'https://north.example/',
  });
  const logo = screen.getByRole('img', { name: 'North' });
  expect(logo.getAttribute('src')).toBe('/uploads/a.png');
  expect(document.querySelector('source')?.getAttribute('srcset')).toBe('/uploads/s.png');
  expect(screen.getByRole('link').getAttribute('href')).toBe('https://north.example/');
  cleanup();
  renderBrand({ dark_logo: '/uploads/d.png', logo_alt: 'A compass' });
  expect(screen.getByRole('img', { name: 'A compass' }).getAttribute('src')).toBe('/uploads/d.png');
});

it('shows the type of the panel', () => {
  const { container } = renderBrand({ is_child: true, inhouse: true });
  expect(container.querySelector('.tag')?.textContent).toBe('shell.brand.isChild');
  cleanup();
  expect(renderBrand({ inhouse: true }).container.querySelector('.tag')?.textContent).toBe('shell.brand.inhouse');
});

it('shows the favicon of the panel, or the default favicon', () => {
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">';
  const link = () => document.querySelector('link[rel=icon]');
  setFavicon(null);
  expect(link()?.getAttribute('href')).toBe('/favicon.svg');
  setFavicon('/uploads/f.png');
  expect([link()?.getAttribute('href'), link()?.getAttribute('type')]).toEqual(['/uploads/f.png', null]);
});
