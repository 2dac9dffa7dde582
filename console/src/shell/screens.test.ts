import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { REDIRECTS, SCREENS } from './screens';

const SCREENS_FILE = resolve(import.meta.dirname, '../../../fixtures/specification/screens.tsv');

/** The screens of the specification. A user needs at least one of the permissions of a screen. */
const SPECIFIED_SCREENS = readFileSync(SCREENS_FILE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => {
    const [path = '', permissions = ''] = line.split('\t');
    return { path, permissions: permissions === 'bearer' ? [] : permissions.split('|').sort() };
  });

/** Ignores `/:tab?` at the end of the path of a screen, because the specification lists the tabs as part of the screen. */
const findScreen = (path: string) => SCREENS.find((screen) => screen.path.replace(/\/:tab\?$/, '') === path);
const findPermissions = (path: string) => findScreen(path)?.permissions.toSorted();

it('has every screen of the specification, with the permissions of the specification', () => {
  // The sign-in page is outside of the shell. Old URLs redirect to the screens that have replaced them.
  const expectedScreens = SPECIFIED_SCREENS.filter(({ permissions }) => permissions[0] !== 'guest');
  expect(expectedScreens.length).toBeGreaterThan(35);
  const actualScreens = expectedScreens.map(({ path }) => ({
    path,
    permissions: findPermissions(REDIRECTS[path] ?? path),
  }));
  expect(actualScreens).toEqual(expectedScreens);
});

it('has no screen in the shell for users who are not signed in', () => {
  const guestPaths = SPECIFIED_SCREENS.filter(({ permissions }) => permissions[0] === 'guest').map(({ path }) => path);
  expect(guestPaths).toEqual(['/login']);
  expect(guestPaths.flatMap((path) => findScreen(path) ?? [])).toEqual([]);
});

it('requires a permission for every screen that the specification does not list, except the banner editor and the profile', () => {
  const specifiedPaths = new Set(SPECIFIED_SCREENS.map(({ path }) => path));
  const additionalScreens = SCREENS.filter(({ path }) => !specifiedPaths.has(path.replace(/\/:tab\?$/, '')));
  const pathsWithoutPermission = additionalScreens
    .filter(({ permissions }) => permissions.length === 0)
    .map(({ path }) => path);
  expect(pathsWithoutPermission).toEqual(['/banners/:place', '/profile/:tab?']);
});
