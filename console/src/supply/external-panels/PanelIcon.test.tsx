import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PanelIcon } from './PanelIcon';

let requestedPaths: string[] = [];
let createIconResponse: () => Response = () => new Response(null, { status: 204 });

beforeEach(() => {
  requestedPaths = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    requestedPaths.push(new URL(request.url).pathname);
    return createIconResponse();
  });
  URL.createObjectURL = vi.fn(() => 'blob:icon');
  URL.revokeObjectURL = vi.fn();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const renderIcon = () =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PanelIcon id={7} />
    </QueryClientProvider>,
  );
const findIcon = () => document.querySelector('img');

it('shows the icon, and revokes its object URL after unmounting', async () => {
  createIconResponse = () => new Response('GIF89a', { headers: { 'Content-Type': 'image/gif' } });
  const { unmount } = renderIcon();
  await waitFor(() => expect(findIcon()?.getAttribute('src')).toBe('blob:icon'));
  expect([requestedPaths, findIcon()?.alt]).toEqual([['/api/v1/admin/external-panels/7/icon'], '']);
  unmount();
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:icon');
});

it('renders nothing if the external panel has no icon, or if the browser cannot decode the icon', async () => {
  createIconResponse = () => new Response(null, { status: 204 });
  renderIcon();
  await waitFor(() => expect(requestedPaths).toHaveLength(1));
  expect(findIcon()).toBeNull();
  cleanup();
  createIconResponse = () => new Response('GIF89a');
  renderIcon();
  await waitFor(() => expect(findIcon()).toBeTruthy());
  fireEvent.error(findIcon() as HTMLImageElement);
  await waitFor(() => expect(findIcon()).toBeNull());
});
