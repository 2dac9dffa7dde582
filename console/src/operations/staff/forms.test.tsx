import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { session } from '@/session/store';
import { sample, sampleAnswer } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { GrantsForm } from './forms';

const entry = (name: 'view users' | 'manage finances') => ({ ...sample('PermissionEntry'), name });
const [view, manage] = [entry('view users'), entry('manage finances')];
const user: ReturnType<typeof sample<'StaffRow'>> = { ...sample('StaffRow'), permissions: [] };

let sent: unknown[];

beforeAll(initI18n);
beforeEach(() => {
  sent = [];
  session.begin({ ...sample('Profile'), allPermissions: [view, manage] });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/permissions')) return Response.json({ data: [view, manage] });
    if (request.method === 'GET') return Response.json(sampleAnswer('GET', pathname));
    sent.push(await request.json());
    return Response.json({ data: user });
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

async function grantLastPermission(read: () => Promise<typeof user>) {
  const callbacks = { onClose: () => undefined, onDone: () => undefined };
  render(<GrantsForm user={user} read={read} {...callbacks} />, { wrapper: TestQueryProvider });
  fireEvent.click((await screen.findAllByRole('checkbox')).at(-1) as HTMLElement);
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
}

it('sends only the changed list', async () => {
  await grantLastPermission(async () => user);
  expect(sent).toEqual([{ permissions: ['manage finances'] }]);
});

it('reports a conflict when another person changed the permissions meanwhile', async () => {
  await grantLastPermission(async () => ({ ...user, permissions: [view] }));
  expect(sent).toEqual([]);
  expect(screen.getByRole('alert').textContent).toContain('Another person changed this record after you opened it.');
  expect(screen.getByRole('button', { name: 'Load the latest version and keep my edits' })).toBeTruthy();
});
