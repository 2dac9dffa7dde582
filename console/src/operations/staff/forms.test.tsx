import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { session } from '@/session/store';
import { Queries } from '@/test/Queries';
import { answerOf, sample } from '@/test/sample';
import { GrantsForm } from './forms';

const entry = (name: 'view users' | 'manage finances') => ({ ...sample('PermissionEntry'), name });
const [view, manage] = [entry('view users'), entry('manage finances')];
const who: ReturnType<typeof sample<'StaffRow'>> = { ...sample('StaffRow'), permissions: [] };

let sent: unknown[];

beforeAll(startTexts);
beforeEach(() => {
  sent = [];
  session.begin({ ...sample('Profile'), allPermissions: [view, manage] });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/permissions')) return Response.json({ data: [view, manage] });
    if (request.method === 'GET') return Response.json(answerOf('GET', pathname));
    sent.push(await request.json());
    return Response.json({ data: who });
  });
});
afterEach(() => {
  cleanup();
  session.end();
  vi.restoreAllMocks();
});

async function grant(read: () => Promise<typeof who>) {
  const done = { onClose: () => undefined, onDone: () => undefined };
  render(<GrantsForm who={who} read={read} {...done} />, { wrapper: Queries });
  fireEvent.click((await screen.findAllByRole('checkbox')).at(-1) as HTMLElement);
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
}

it('sends the list that was changed, and not the other', async () => {
  await grant(async () => who);
  expect(sent).toEqual([{ permissions: ['manage finances'] }]);
});

it('sends nothing over permissions that another person gave meanwhile', async () => {
  await grant(async () => ({ ...who, permissions: [view] }));
  expect(sent).toEqual([]);
  expect(screen.getByRole('alert').textContent).toContain('Another person changed this since you opened it.');
  expect(screen.getByRole('button', { name: 'Load the newer record, keep what I typed' })).toBeTruthy();
});
