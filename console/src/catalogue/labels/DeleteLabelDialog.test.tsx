import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { DeleteLabelDialog } from './DeleteLabelDialog';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('lists the services that have the label, sends a dry run, and deletes the label after the confirmation', async () => {
  const requests: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    const { pathname, search } = new URL(url);
    requests.push(`${method} ${pathname}${search}`);
    if (method === 'DELETE') return new Response(null, { status: 204 });
    return Response.json({ data: [{ id: 5, name: 'Likes' }] });
  });
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const label = { id: 3, name: 'New', services_count: 1, is_custom_comments: false } as Schemas['LabelRow'];
  render(<DeleteLabelDialog label={label} onClose={onClose} onDone={onDone} />, { wrapper: TestQueryProvider });
  expect(await screen.findByText('5 · Likes')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Delete label' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(onClose).toHaveBeenCalledOnce();
  const path = '/api/v1/admin/services/labels';
  expect(requests.toSorted()).toEqual([
    `DELETE ${path}/3`,
    `DELETE ${path}/3?dry_run=1`,
    `GET ${path}/used-services/3`,
  ]);
});
