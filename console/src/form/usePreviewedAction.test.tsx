import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { usePreviewedAction } from './usePreviewedAction';

beforeAll(initI18n);
afterEach(cleanup);

const IN_USE_PROBLEM = new Problem({ status: 409, code: 'label_in_use', message: 'Two services have it.' });
const OUTAGE_PROBLEM = new Problem({
  status: 503,
  code: 'database_unavailable',
  message: 'The database cannot be reached.',
});
const UNCONFIRMED_PROBLEM = new Problem({
  status: 403,
  code: 'confirmation_required',
  message: 'Confirm with your password.',
});

/** Renders the hook with mocked requests that return the given results in order. The last result repeats. */
function renderAction(results: {
  previews: (string | Problem)[];
  actionResults?: (Problem | null)[];
  missingConfirmation?: string;
}) {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const takeNextResult = <T,>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
  const toPromise = <T,>(result: T) => (result instanceof Problem ? Promise.reject(result) : Promise.resolve(result));
  const requestPreview = vi.fn((_: AbortSignal) => toPromise(takeNextResult(results.previews)) as Promise<string>);
  const runAction = vi.fn(() => toPromise(takeNextResult(results.actionResults ?? [null])));
  const { result, rerender, unmount } = renderHook(
    ({ missingConfirmation }: { missingConfirmation: string | false }) =>
      usePreviewedAction({ requestPreview, runAction, missingConfirmation, successMessage: 'Done.', onClose, onDone }),
    {
      initialProps: { missingConfirmation: results.missingConfirmation ?? (false as string | false) },
      wrapper: TestQueryProvider,
    },
  );
  const waitForPreview = () => act(async () => {});
  const confirm = () => act(() => result.current.confirm());
  return { result, rerender, unmount, waitForPreview, confirm, requestPreview, runAction, onClose, onDone };
}

it('runs after the preview, and calls onClose before onDone', async () => {
  const { result, waitForPreview, confirm, runAction, onClose, onDone } = renderAction({ previews: ['2 services'] });
  expect(result.current.disabledReason).toBe('Checking…');
  await confirm();
  expect(runAction).not.toHaveBeenCalled();
  await waitForPreview();
  expect(result.current).toMatchObject({
    preview: '2 services',
    disabledReason: false,
    problem: null,
    retry: undefined,
  });
  await confirm();
  expect(runAction).toHaveBeenCalledOnce();
  expect(onClose.mock.invocationCallOrder[0]).toBeLessThan(onDone.mock.invocationCallOrder[0] ?? 0);
});

it('does not run after a failed preview', async () => {
  const { result, waitForPreview, confirm, runAction, onClose } = renderAction({ previews: [IN_USE_PROBLEM] });
  await waitForPreview();
  expect(result.current).toMatchObject({
    disabledReason: IN_USE_PROBLEM.message,
    problem: IN_USE_PROBLEM,
    retry: undefined,
  });
  await confirm();
  expect(runAction).not.toHaveBeenCalled();
  expect(onClose).not.toHaveBeenCalled();
});

it('does not run without the confirmation', async () => {
  const { result, rerender, waitForPreview, confirm, runAction } = renderAction({
    previews: ['all'],
    missingConfirmation: 'Type the address.',
  });
  await waitForPreview();
  expect(result.current.disabledReason).toBe('Type the address.');
  await confirm();
  expect(runAction).not.toHaveBeenCalled();
  rerender({ missingConfirmation: false });
  await confirm();
  expect(runAction).toHaveBeenCalledOnce();
});

it('previews again if the record has changed after the preview', async () => {
  const { result, waitForPreview, confirm, requestPreview, runAction, onDone } = renderAction({
    previews: ['1 service', '2 services'],
    actionResults: [IN_USE_PROBLEM, null],
  });
  await waitForPreview();
  await confirm();
  await waitForPreview();
  expect(requestPreview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({
    preview: '2 services',
    problem: IN_USE_PROBLEM,
    disabledReason: false,
    isPending: false,
  });
  expect(onDone).not.toHaveBeenCalled();
  await confirm();
  expect(runAction).toHaveBeenCalledTimes(2);
  expect(onDone).toHaveBeenCalledOnce();
});

it('offers to retry a preview that failed in an outage', async () => {
  const { result, waitForPreview, requestPreview } = renderAction({ previews: [OUTAGE_PROBLEM, 'all'] });
  await waitForPreview();
  expect(result.current).toMatchObject({ disabledReason: OUTAGE_PROBLEM.message, problem: OUTAGE_PROBLEM });
  act(() => result.current.retry?.());
  await waitForPreview();
  expect(requestPreview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({ preview: 'all', disabledReason: false, problem: null });
});

it('can run again after an outage and after a canceled confirmation', async () => {
  const { result, waitForPreview, confirm, requestPreview, runAction, onDone } = renderAction({
    previews: ['all'],
    actionResults: [OUTAGE_PROBLEM, UNCONFIRMED_PROBLEM, null],
  });
  await waitForPreview();
  await confirm();
  expect(result.current).toMatchObject({ problem: OUTAGE_PROBLEM, disabledReason: false, isPending: false });
  await confirm();
  expect(result.current).toMatchObject({ problem: UNCONFIRMED_PROBLEM, disabledReason: false });
  await confirm();
  expect(requestPreview).toHaveBeenCalledOnce();
  expect(runAction).toHaveBeenCalledTimes(3);
  expect(onDone).toHaveBeenCalledOnce();
});

it('aborts the preview when the dialog closes', async () => {
  const { requestPreview, unmount } = renderAction({ previews: ['all'] });
  unmount();
  expect(requestPreview.mock.calls[0]?.[0].aborted).toBe(true);
});
