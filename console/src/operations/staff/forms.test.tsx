import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { session } from '@/session/store';
import { createSample, createSampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { RolesAndPermissionsForm } from './forms';

const createPermissionInfo = (name: 'view users' | 'manage finances') => ({
  ...createSample('PermissionInfo'),
  name,
});
const [viewUsers, manageFinances] = [createPermissionInfo('view users'), createPermissionInfo('manage finances')];
const user: ReturnType<typeof createSample<'StaffRow'>> = { ...createSample('StaffRow'), permissions: [] };

let sentBodies: unknown[];

beforeAll(initI18n);
beforeEach(() => {
  sentBodies = [];
  session.begin({ ...createSample('Profile'), allPermissions: [viewUsers, manageFinances] });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/permissions')) return Response.json({ data: [viewUsers, manageFinances] });
    if (request.method === 'GET') return Response.json(createSampleResponse('GET', pathname));
    sentBodies.push(await request.json());
    return Response.json({ data: user });
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

async function grantLastPermission(reload: () => Promise<typeof user>) {
  const callbacks = { onClose: () => undefined, onDone: () => undefined };
  render(<RolesAndPermissionsForm user={user} reload={reload} {...callbacks} />, { wrapper: TestQueryProvider });
  fireEvent.click((await screen.findAllByRole('checkbox')).at(-1) as HTMLElement);
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
}

it('sends only the list that was changed', async () => {
  await grantLastPermission(async () => user);
  expect(sentBodies).toEqual([{ permissions: ['manage finances'] }]);
});

it('reports a conflict if another staff member has changed the permissions since the dialog was opened', async () => {
  await grantLastPermission(async () => ({ ...user, permissions: [viewUsers] }));
  expect(sentBodies).toEqual([]);
  expect(screen.getByRole('alert').textContent).toContain('Another person changed this record after you opened it.');
  expect(screen.getByRole('button', { name: 'Load the latest version and keep my edits' })).toBeTruthy();
});
