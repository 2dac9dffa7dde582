import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { useSubmit } from '@/form/useSubmit';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { CloseButton, Dialog } from './Dialog';

beforeAll(startTexts);
afterEach(cleanup);

function Step({ send }: { send: () => Promise<unknown> }) {
  const { submit } = useSubmit({ send });
  return (
    <button type="button" onClick={() => void submit()}>
      Go
    </button>
  );
}

it('is held by a call that runs inside of it, until the answer', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const onClose = vi.fn();
  render(
    <Dialog title="T" onClose={onClose} footer={<CloseButton label="Away" />}>
      <Step send={() => new Promise((resolve) => (answer = resolve))} />
    </Dialog>,
    { wrapper: Queries },
  );
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Go' })));
  fireEvent.click(screen.getByRole('button', { name: 'Away' }));
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => answer(null));
  fireEvent.click(screen.getByRole('button', { name: 'Away' }));
  expect(onClose).toHaveBeenCalledOnce();
});
