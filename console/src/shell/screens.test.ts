import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { REDIRECTS, SCREENS } from './screens';

const FILE = resolve(import.meta.dirname, '../../../fixtures/specification/screens.tsv');

/** The screens of the specification with their permissions, of which any one is sufficient. */
const SPECIFIED = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => {
    const [path = '', permissions = ''] = line.split('\t');
    return { path, permissions: permissions === 'bearer' ? [] : permissions.split('|').sort() };
  });

/** Tabs of a record's page have their own URLs, but are no screens. */
const screenOf = (path: string) => SCREENS.find((screen) => screen.path.replace(/\/:tab\?$/, '') === path);
const permissionsOf = (path: string) => screenOf(path)?.permissions.toSorted();

it('has every screen of the specification, for the permissions that it names', () => {
  // The sign-in page is outside of the shell; old URLs redirect to the screen that replaced them.
  const shown = SPECIFIED.filter(({ permissions }) => permissions[0] !== 'guest');
  expect(shown.length).toBeGreaterThan(35);
  const actual = shown.map(({ path }) => ({ path, permissions: permissionsOf(REDIRECTS[path] ?? path) }));
  expect(actual).toEqual(shown);
});

it('has no screen for guests inside the shell', () => {
  const guests = SPECIFIED.filter(({ permissions }) => permissions[0] === 'guest').map(({ path }) => path);
  expect(guests).toEqual(['/login']);
  expect(guests.flatMap((path) => screenOf(path) ?? [])).toEqual([]);
});

it('requires a permission for every additional screen, except for the banner editor and the profile', () => {
  const specified = new Set(SPECIFIED.map(({ path }) => path));
  const additional = SCREENS.filter(({ path }) => !specified.has(path.replace(/\/:tab\?$/, '')));
  const unrestricted = additional.filter(({ permissions }) => permissions.length === 0).map(({ path }) => path);
  expect(unrestricted).toEqual(['/banners/:place', '/profile/:tab?']);
});
