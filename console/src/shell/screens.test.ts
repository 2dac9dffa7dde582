import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { REDIRECTS, SCREENS } from './screens';

const FILE = resolve(import.meta.dirname, '../../../fixtures/specification/screens.tsv');

/** The screens of the specification. A user needs one of the permissions of a screen. */
const SPECIFIED = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => {
    const [path = '', permissions = ''] = line.split('\t');
    return { path, permissions: permissions === 'bearer' ? [] : permissions.split('|').sort() };
  });

/** The tabs of a page have URLs of their own, but they are no screens. */
const screenOf = (path: string) => SCREENS.find((screen) => screen.path.replace(/\/:tab\?$/, '') === path);
const permissionsOf = (path: string) => screenOf(path)?.permissions.toSorted();

it('has every screen of the specification, with the permissions of the specification', () => {
  // Without the sign-in page, which is outside of the shell. Old URLs redirect to the screens that have replaced them.
  const expected = SPECIFIED.filter(({ permissions }) => permissions[0] !== 'guest');
  expect(expected.length).toBeGreaterThan(35);
  const actual = expected.map(({ path }) => ({ path, permissions: permissionsOf(REDIRECTS[path] ?? path) }));
  expect(actual).toEqual(expected);
});

it('has no screen in the shell for users who are not signed in', () => {
  const guestPaths = SPECIFIED.filter(({ permissions }) => permissions[0] === 'guest').map(({ path }) => path);
  expect(guestPaths).toEqual(['/login']);
  expect(guestPaths.flatMap((path) => screenOf(path) ?? [])).toEqual([]);
});

it('requires a permission for every additional screen, except for the banner editor and the profile', () => {
  const specifiedPaths = new Set(SPECIFIED.map(({ path }) => path));
  const additional = SCREENS.filter(({ path }) => !specifiedPaths.has(path.replace(/\/:tab\?$/, '')));
  const unrestricted = additional.filter(({ permissions }) => permissions.length === 0).map(({ path }) => path);
  expect(unrestricted).toEqual(['/banners/:place', '/profile/:tab?']);
});
