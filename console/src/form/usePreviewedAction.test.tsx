import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { usePreviewedAction } from './usePreviewedAction';

beforeAll(startTexts);
afterEach(cleanup);

const IN_USE = new Problem({ status: 409, code: 'label_in_use', message: 'Two services have it.' });
const AWAY = new Problem({ status: 503, code: 'database_unavailable', message: 'The database cannot be reached.' });
const UNCONFIRMED = new Problem({ status: 403, code: 'confirmation_required', message: 'Confirm with your password.' });

/** A hook whose server answers in turn; the last answer is for all calls after it. */
function setUp(answers: { previews: (string | Problem)[]; runs?: (Problem | null)[]; unconfirmed?: string }) {
  const [onClose, onDone] = [vi.fn(), vi.fn()];
  const next = <T,>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
  const respond = <T,>(answer: T) => (answer instanceof Problem ? Promise.reject(answer) : Promise.resolve(answer));
  const preview = vi.fn((_: AbortSignal) => respond(next(answers.previews)) as Promise<string>);
  const run = vi.fn(() => respond(next(answers.runs ?? [null])));
  const { result, rerender, unmount } = renderHook(
    ({ unconfirmed }: { unconfirmed: string | false }) =>
      usePreviewedAction({ preview, run, unconfirmed, success: 'Done.', onClose, onDone }),
    { initialProps: { unconfirmed: answers.unconfirmed ?? (false as string | false) }, wrapper: Queries },
  );
  const settled = () => act(async () => {});
  const start = () => act(() => result.current.start());
  return { result, rerender, unmount, settled, start, preview, run, onClose, onDone };
}

it('runs once it was previewed, and closes before its owner reads again', async () => {
  const { result, settled, start, run, onClose, onDone } = setUp({ previews: ['2 services'] });
  expect(result.current.refusal).toBe('Trying…');
  await start();
  expect(run).not.toHaveBeenCalled();
  await settled();
  expect(result.current).toMatchObject({ preview: '2 services', refusal: false, problem: null, retry: undefined });
  await start();
  expect(run).toHaveBeenCalledOnce();
  expect(onClose.mock.invocationCallOrder[0]).toBeLessThan(onDone.mock.invocationCallOrder[0] ?? 0);
});

it('runs nothing that the preview refuses', async () => {
  const { result, settled, start, run, onClose } = setUp({ previews: [IN_USE] });
  await settled();
  expect(result.current).toMatchObject({ refusal: IN_USE.message, problem: IN_USE, retry: undefined });
  await start();
  expect(run).not.toHaveBeenCalled();
  expect(onClose).not.toHaveBeenCalled();
});

it('runs nothing that is not confirmed', async () => {
  const { result, rerender, settled, start, run } = setUp({ previews: ['all'], unconfirmed: 'Type the address.' });
  await settled();
  expect(result.current.refusal).toBe('Type the address.');
  await start();
  expect(run).not.toHaveBeenCalled();
  rerender({ unconfirmed: false });
  await start();
  expect(run).toHaveBeenCalledOnce();
});

it('previews again where the record changed between preview and run', async () => {
  const { result, settled, start, preview, run, onDone } = setUp({
    previews: ['1 service', '2 services'],
    runs: [IN_USE, null],
  });
  await settled();
  await start();
  await settled();
  expect(preview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({ preview: '2 services', problem: IN_USE, refusal: false, isPending: false });
  expect(onDone).not.toHaveBeenCalled();
  await start();
  expect(run).toHaveBeenCalledTimes(2);
  expect(onDone).toHaveBeenCalledOnce();
});

it('lets a preview that failed in an outage be asked again', async () => {
  const { result, settled, preview } = setUp({ previews: [AWAY, 'all'] });
  await settled();
  expect(result.current).toMatchObject({ refusal: AWAY.message, problem: AWAY });
  act(() => result.current.retry?.());
  await settled();
  expect(preview).toHaveBeenCalledTimes(2);
  expect(result.current).toMatchObject({ preview: 'all', refusal: false, problem: null });
});

it('can run again after an outage and after a password that was not typed', async () => {
  const { result, settled, start, preview, run, onDone } = setUp({
    previews: ['all'],
    runs: [AWAY, UNCONFIRMED, null],
  });
  await settled();
  await start();
  expect(result.current).toMatchObject({ problem: AWAY, refusal: false, isPending: false });
  await start();
  expect(result.current).toMatchObject({ problem: UNCONFIRMED, refusal: false });
  await start();
  expect(preview).toHaveBeenCalledOnce();
  expect(run).toHaveBeenCalledTimes(3);
  expect(onDone).toHaveBeenCalledOnce();
});

it('gives up its preview with the dialog', async () => {
  const { preview, unmount } = setUp({ previews: ['all'] });
  unmount();
  expect(preview.mock.calls[0]?.[0].aborted).toBe(true);
});
