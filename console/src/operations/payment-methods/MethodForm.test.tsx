import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { answerOf } from '@/test/sample';
import { MethodForm } from './MethodForm';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('drops no secret that has no name', async () => {
  const sent: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    if (method !== 'GET') sent.push(url);
    return Response.json(answerOf('GET', new URL(url).pathname));
  });
  render(<MethodForm method={null} onClose={vi.fn()} onChanged={vi.fn()} />, { wrapper: Queries });
  fireEvent.change(screen.getByLabelText('New secret'), { target: { value: 'hush' } });
  await act(async () => void fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  const name = await screen.findByRole('textbox', { name: 'Name of a new secret', description: 'Name the secret.' });
  expect([name.getAttribute('aria-invalid'), sent]).toEqual(['true', []]);
});
