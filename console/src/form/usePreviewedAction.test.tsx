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

/** Renders the hook with mocked results, which it gets in order. The last result repeats. */
function renderAction(results: {
  previews: (string | Problem)[];
  runs?: (Problem | null)[];
  missingConfirmation?: string;
}) {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const takeNext = <T,>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
  const settle = <T,>(result: T) => (result instanceof Problem ? Promise.reject(result) : Promise.resolve(result));
  const preview = vi.fn((_: AbortSignal) => settle(takeNext(results.previews)) as Promise<string>);
  const run = vi.fn(() => settle(takeNext(results.runs ?? [null])));
  const { result, rerender, unmount } = renderHook(
    ({ missingConfirmation }: { missingConfirmation: string | false }) =>
      usePreviewedAction({ preview, run, missingConfirmation, success: 'Done.', onClose, onDone }),
    {
      initialProps: { missingConfirmation: results.missingConfirmation ?? (false as string | false) },
      wrapper: TestQueryProvider,
    },
  );
  const waitForPreview = () => act(async () => {});
  const start = () => act(() => result.current.start());
  return { result, rerender, unmount, waitForPreview, start, preview, run, onClose, onDone };
}

it('runs after the preview, and calls onClose before onDone', async () => {
  const { result, waitForPreview, start, run, onClose, onDone } = renderAction({ previews: ['2 services'] });
  expect(result.current.disabledReason).toBe('Checking…');
  await start();
  expect(run).not.toHaveBeenCalled();
  await waitForPreview();
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
  const { result, waitForPreview, start, run, onClose } = renderAction({ previews: [IN_USE] });
  await waitForPreview();
  expect(result.current).toMatchObject({ disabledReason: IN_USE.message, problem: IN_USE, retry: undefined });
  await start();
  expect(run).not.toHaveBeenCalled();
  expect(onClose).not.toHaveBeenCalled();
});

it('does not run without the confirmation', async () => {
  const { result, rerender, waitForPreview, start, run } = renderAction({
    previews: ['all'],
    missingConfirmation: 'Type the address.',
  });
  await waitForPreview();
  expect(result.current.disabledReason).toBe('Type the address.');
  await start();
  expect(run).not.toHaveBeenCalled();
  rerender({ missingConfirmation: false });
  await start();
  expect(run).toHaveBeenCalledOnce();
});

it('previews again if the record has changed between preview and run', async () => {
  const { result, waitForPreview, start, preview, run, onDone } = renderAction({
    previews: ['1 service', '2 services'],
    runs: [IN_USE, null],
  });
  await waitForPreview();
  await start();
  await waitForPreview();
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
  const { result, waitForPreview, preview } = renderAction({ previews: [OUTAGE, 'all'] });
  await waitForPreview();
  expect(result.current).toMatchObject({ disabledReason: OUTAGE.message, problem: OUTAGE });
  act(() => result.current.retry?.());
  await waitForPreview();
  expect(preview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({ preview: 'all', disabledReason: false, problem: null });
});

it('can run again after an outage and after a canceled confirmation', async () => {
  const { result, waitForPreview, start, preview, run, onDone } = renderAction({
    previews: ['all'],
    runs: [OUTAGE, UNCONFIRMED, null],
  });
  await waitForPreview();
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
  const { preview, unmount } = renderAction({ previews: ['all'] });
  unmount();
  expect(preview.mock.calls[0]?.[0].aborted).toBe(true);
});
