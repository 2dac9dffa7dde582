// Every form that sends `updated_at` offers to load the latest version when the server responds with 409 because another user has
// changed the record.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { session } from '@/session/store';
import { FORMS } from '@/test/forms';
import { sample, sampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

vi.setConfig({ testTimeout: 60_000 });

const LOAD_BUTTON = 'Load the latest version and keep my edits';

/** The saves that contained `updated_at`. */
let versionedSaves: string[];

const hasVersion = (body: string) => {
  const { updated_at, panel_service_type } = JSON.parse(body || '{}');
  return Boolean(updated_at ?? panel_service_type?.updated_at);
};

beforeAll(initI18n);
beforeEach(() => {
  versionedSaves = [];
  session.begin({
    ...sample('Profile'),
    allPermissions: (
      [
        'view users',
        'view payment methods',
        'write auto refill params',
        'manage services and providers',
        'manage panel settings',
        'manage targets',
      ] as const
    ).map((name) => ({ ...sample('PermissionEntry'), name })),
  });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    if (request.method === 'GET') return Response.json(sampleResponse('GET', pathname));
    const isSave = !/total-cost|price-preview|dry_run/.test(pathname + search);
    if (isSave && hasVersion(await request.clone().text())) versionedSaves.push(`${request.method} ${pathname}`);
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

const NAMED_FORMS = FORMS.map(([name, createElement, openButton]) => [name, { createElement, openButton }] as const);

it.each(NAMED_FORMS)('%s', async (_, { createElement, openButton }) => {
  render(createElement(), { wrapper: TestQueryProvider });
  if (openButton) fireEvent.click((await screen.findAllByRole('button', { name: openButton }))[0] as HTMLElement);
  await waitFor(() => expect(document.querySelector('form')).toBeTruthy());
  const form = document.querySelector('form:last-of-type') as HTMLFormElement;
  fireEvent.submit(form);
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull());
  const loadButtonCount = screen.queryAllByRole('button', { name: LOAD_BUTTON }).length;
  if (versionedSaves.length > 0) expect([versionedSaves, loadButtonCount]).toEqual([versionedSaves, 1]);
});
