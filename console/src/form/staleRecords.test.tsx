// Checks that every form that sends `updated_at` offers to load the latest version if the server responds with 409 because another
// user has changed the record.
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { session } from '@/session/store';
import { FORMS } from '@/test/forms';
import { createSample, createSampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

vi.setConfig({ testTimeout: 60_000 });

const LOAD_LATEST_LABEL = 'Load the latest version and keep my edits';

/** The requests that contained `updated_at`: method and path. */
let savesWithUpdatedAt: string[];

const hasUpdatedAt = (body: string) => {
  const { updated_at, panel_service_type } = JSON.parse(body || '{}');
  return Boolean(updated_at ?? panel_service_type?.updated_at);
};

beforeAll(initI18n);
beforeEach(() => {
  savesWithUpdatedAt = [];
  session.begin({
    ...createSample('Profile'),
    allPermissions: (
      [
        'view users',
        'view payment methods',
        'write auto refill params',
        'manage services and providers',
        'manage panel settings',
        'manage targets',
      ] as const
    ).map((name) => ({ ...createSample('PermissionInfo'), name })),
  });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    if (request.method === 'GET') return Response.json(createSampleResponse('GET', pathname));
    const isSave = !/total-cost|price-preview|dry_run/.test(pathname + search);
    if (isSave && hasUpdatedAt(await request.clone().text())) savesWithUpdatedAt.push(`${request.method} ${pathname}`);
    return Response.json({ code: 'changed_meanwhile', message: 'Changed.' }, { status: 409 });
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

const FORM_CASES = FORMS.map(([name, createElement, openButton]) => [name, { createElement, openButton }] as const);

it.each(FORM_CASES)('%s', async (_, { createElement, openButton }) => {
  render(createElement(), { wrapper: TestQueryProvider });
  if (openButton) fireEvent.click((await screen.findAllByRole('button', { name: openButton }))[0] as HTMLElement);
  await waitFor(() => expect(document.querySelector('form')).toBeTruthy());
  const form = document.querySelector('form:last-of-type') as HTMLFormElement;
  fireEvent.submit(form);
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
  await waitFor(() => expect(document.querySelector('[aria-busy=true]')).toBeNull());
  const loadButtonCount = screen.queryAllByRole('button', { name: LOAD_LATEST_LABEL }).length;
  if (savesWithUpdatedAt.length > 0) expect([savesWithUpdatedAt, loadButtonCount]).toEqual([savesWithUpdatedAt, 1]);
});
