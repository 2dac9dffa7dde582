import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { MOVED, SCREENS } from './screens';

const FILE = resolve(import.meta.dirname, '../../../fixtures/specification/screens.tsv');

/** The screens of the specification with the permissions of which any one suffices. */
const SPECIFIED = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => {
    const [path = '', permissions = ''] = line.split('\t');
    return { path, permissions: permissions === 'bearer' ? [] : permissions.split('|').sort() };
  });

/** Parts of a record's page have addresses of their own, but are no screens. */
const screenOf = (path: string) => SCREENS.find((screen) => screen.path.replace(/\/:tab\?$/, '') === path);
const permissionsOf = (path: string) => screenOf(path)?.permissions.toSorted();

it('has every screen of the specification, for the permissions that it names', () => {
  // Sign-in stands outside of the shell; an old address leads to the screen that took its place.
  const shown = SPECIFIED.filter(({ permissions }) => permissions[0] !== 'guest');
  expect(shown.length).toBeGreaterThan(35);
  const console = shown.map(({ path }) => ({ path, permissions: permissionsOf(MOVED[path] ?? path) }));
  expect(console).toEqual(shown);
});

it('has no screen for guests inside the shell', () => {
  const guests = SPECIFIED.filter(({ permissions }) => permissions[0] === 'guest').map(({ path }) => path);
  expect(guests).toEqual(['/login']);
  expect(guests.flatMap((path) => screenOf(path) ?? [])).toEqual([]);
});

it('asks for a permission on every screen beside those of the specification, except for the editor of a banner', () => {
  const specified = new Set(SPECIFIED.map(({ path }) => path));
  const beside = SCREENS.filter(({ path }) => !specified.has(path.replace(/\/:tab\?$/, '')));
  const free = beside.filter(({ permissions }) => permissions.length === 0).map(({ path }) => path);
  expect(free).toEqual(['/banners/:place', '/profile/:tab?']);
});
