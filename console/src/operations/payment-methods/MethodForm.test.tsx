import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { createSampleResponse } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { MethodForm } from './MethodForm';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('rejects a new secret without a name', async () => {
  const writtenUrls: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    if (method !== 'GET') writtenUrls.push(url);
    return Response.json(createSampleResponse('GET', new URL(url).pathname));
  });
  render(<MethodForm method={null} onClose={vi.fn()} onChanged={vi.fn()} />, { wrapper: TestQueryProvider });
  fireEvent.change(screen.getByLabelText('New secret'), { target: { value: 'hush' } });
  await act(async () => void fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  const name = await screen.findByRole('textbox', {
    name: 'Name of a new secret',
    description: 'Enter a name for the secret.',
  });
  expect([name.getAttribute('aria-invalid'), writtenUrls]).toEqual(['true', []]);
});
