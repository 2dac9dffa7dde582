import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PanelIcon } from './PanelIcon';

let asked: string[] = [];
let answer: () => Response = () => new Response(null, { status: 204 });

beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return answer();
  });
  URL.createObjectURL = vi.fn(() => 'blob:icon');
  URL.revokeObjectURL = vi.fn();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const draw = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PanelIcon id={7} />
    </QueryClientProvider>,
  );
const icon = () => document.querySelector('img');

it('shows the icon that the server read, and forgets it afterwards', async () => {
  answer = () => new Response('GIF89a', { headers: { 'Content-Type': 'image/gif' } });
  const { unmount } = draw();
  await waitFor(() => expect(icon()?.getAttribute('src')).toBe('blob:icon'));
  expect([asked, icon()?.alt]).toEqual([['/api/v1/admin/external-panels/7/icon'], '']);
  unmount();
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:icon');
});

it('shows nothing without an icon, or with one that cannot be drawn', async () => {
  answer = () => new Response(null, { status: 204 });
  draw();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(icon()).toBeNull();
  cleanup();
  answer = () => new Response('GIF89a');
  draw();
  await waitFor(() => expect(icon()).toBeTruthy());
  fireEvent.error(icon() as HTMLImageElement);
  await waitFor(() => expect(icon()).toBeNull());
});
