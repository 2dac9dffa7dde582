import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { usePreviewedAction } from './usePreviewedAction';

beforeAll(initI18n);
afterEach(cleanup);

const IN_USE = new Problem({ status: 409, code: 'label_in_use', message: 'Two services have it.' });
const OUTAGE = new Problem({ status: 503, code: 'database_unavailable', message: 'The database cannot be reached.' });
const UNCONFIRMED = new Problem({ status: 403, code: 'confirmation_required', message: 'Confirm with your password.' });

/** Renders the hook with mocked answers in order; the last answer repeats. */
function setUp(answers: { previews: (string | Problem)[]; runs?: (Problem | null)[]; missingConfirmation?: string }) {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const next = <T,>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
  const respond = <T,>(answer: T) => (answer instanceof Problem ? Promise.reject(answer) : Promise.resolve(answer));
  const preview = vi.fn((_: AbortSignal) => respond(next(answers.previews)) as Promise<string>);
  const run = vi.fn(() => respond(next(answers.runs ?? [null])));
  const { result, rerender, unmount } = renderHook(
    ({ missingConfirmation }: { missingConfirmation: string | false }) =>
      usePreviewedAction({ preview, run, missingConfirmation, success: 'Done.', onClose, onDone }),
    {
      initialProps: { missingConfirmation: answers.missingConfirmation ?? (false as string | false) },
      wrapper: TestQueryProvider,
    },
  );
  const settled = () => act(async () => {});
  const start = () => act(() => result.current.start());
  return { result, rerender, unmount, settled, start, preview, run, onClose, onDone };
}

it('runs after the preview, and closes before onDone', async () => {
  const { result, settled, start, run, onClose, onDone } = setUp({ previews: ['2 services'] });
  expect(result.current.disabledReason).toBe('Checking…');
  await start();
  expect(run).not.toHaveBeenCalled();
  await settled();
  expect(result.current).toMatchObject({
    preview: '2 services',
    disabledReason: false,
    problem: null,
    retry: undefined,
  });
  await start();
  expect(run).toHaveBeenCalledOnce();
  expect(onClose.mock.invocationCallOrder[0]).toBeLessThan(onDone.mock.invocationCallOrder[0] ?? 0);
});

it('does not run after a failed preview', async () => {
  const { result, settled, start, run, onClose } = setUp({ previews: [IN_USE] });
  await settled();
  expect(result.current).toMatchObject({ disabledReason: IN_USE.message, problem: IN_USE, retry: undefined });
  await start();
  expect(run).not.toHaveBeenCalled();
  expect(onClose).not.toHaveBeenCalled();
});

it('does not run without the confirmation', async () => {
  const { result, rerender, settled, start, run } = setUp({
    previews: ['all'],
    missingConfirmation: 'Type the address.',
  });
  await settled();
  expect(result.current.disabledReason).toBe('Type the address.');
  await start();
  expect(run).not.toHaveBeenCalled();
  rerender({ missingConfirmation: false });
  await start();
  expect(run).toHaveBeenCalledOnce();
});

it('previews again after the record has changed between preview and run', async () => {
  const { result, settled, start, preview, run, onDone } = setUp({
    previews: ['1 service', '2 services'],
    runs: [IN_USE, null],
  });
  await settled();
  await start();
  await settled();
  expect(preview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({
    preview: '2 services',
    problem: IN_USE,
    disabledReason: false,
    isPending: false,
  });
  expect(onDone).not.toHaveBeenCalled();
  await start();
  expect(run).toHaveBeenCalledTimes(2);
  expect(onDone).toHaveBeenCalledOnce();
});

it('offers a retry of a preview that failed in an outage', async () => {
  const { result, settled, preview } = setUp({ previews: [OUTAGE, 'all'] });
  await settled();
  expect(result.current).toMatchObject({ disabledReason: OUTAGE.message, problem: OUTAGE });
  act(() => result.current.retry?.());
  await settled();
  expect(preview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({ preview: 'all', disabledReason: false, problem: null });
});

it('can run again after an outage and after a canceled confirmation', async () => {
  const { result, settled, start, preview, run, onDone } = setUp({
    previews: ['all'],
    runs: [OUTAGE, UNCONFIRMED, null],
  });
  await settled();
  await start();
  expect(result.current).toMatchObject({ problem: OUTAGE, disabledReason: false, isPending: false });
  await start();
  expect(result.current).toMatchObject({ problem: UNCONFIRMED, disabledReason: false });
  await start();
  expect(preview).toHaveBeenCalledOnce();
  expect(run).toHaveBeenCalledTimes(3);
  expect(onDone).toHaveBeenCalledOnce();
});

it('aborts the preview when the dialog closes', async () => {
  const { preview, unmount } = setUp({ previews: ['all'] });
  unmount();
  expect(preview.mock.calls[0]?.[0].aborted).toBe(true);
});
