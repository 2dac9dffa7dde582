import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Brand } from './Brand';
import { showFavicon } from './favicon';
import { type PublicSettings, Settings } from './settings';

afterEach(cleanup);

const draw = (more: Partial<PublicSettings>) =>
  render(
    <Settings value={{ panel_name: 'North', ...more } as PublicSettings}>
      <Brand />
    </Settings>,
  );

it('shows the name without a logo, and the logo where there is one', () => {
  draw({});
  expect(screen.getByText('North')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
  cleanup();
  draw({ light_logo: '/uploads/a.png', mobile_logo: '/uploads/s.png', logo_destination_url: 'https://north.example/' });
  const logo = screen.getByRole('img', { name: 'North' });
  expect(logo.getAttribute('src')).toBe('/uploads/a.png');
  expect(document.querySelector('source')?.getAttribute('srcset')).toBe('/uploads/s.png');
  expect(screen.getByRole('link').getAttribute('href')).toBe('https://north.example/');
  cleanup();
  draw({ dark_logo: '/uploads/d.png', logo_alt: 'A compass' });
  expect(screen.getByRole('img', { name: 'A compass' }).getAttribute('src')).toBe('/uploads/d.png');
});

it('says of what kind the panel is', () => {
  const { container } = draw({ is_child: true, inhouse: true });
  expect(container.querySelector('.tag')?.textContent).toBe('shell.brand.isChild');
  cleanup();
  expect(draw({ inhouse: true }).container.querySelector('.tag')?.textContent).toBe('shell.brand.inhouse');
});

it('takes the panel’s favicon, and leaves the product’s without one', () => {
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">';
  const link = () => document.querySelector('link[rel=icon]');
  showFavicon(null);
  expect(link()?.getAttribute('href')).toBe('/favicon.svg');
  showFavicon('/uploads/f.png');
  expect([link()?.getAttribute('href'), link()?.getAttribute('type')]).toEqual(['/uploads/f.png', null]);
});
