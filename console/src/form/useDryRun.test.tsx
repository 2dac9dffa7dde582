import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { useDryRun } from './useDryRun';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function renderDryRun(firstBody: string | null) {
  const sentBodies: (string | null)[] = [];
  const send = async (body: string) => {
    sentBodies.push(body);
    if (body === 'wrong') throw new Problem({ status: 422, code: 'invalid', message: 'No.' });
    return `${body}!`;
  };
  const { result, rerender } = renderHook(
    ({ body }: { body: string | null }) => useDryRun({ queryKey: ['dry-run'], body, send }),
    { initialProps: { body: firstBody }, wrapper: TestQueryProvider },
  );
  const advanceTime = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    // React Query renders the result in another timer.
    await act(() => vi.advanceTimersByTimeAsync(1));
  };
  const changeBody = async (body: string | null, ms = 600) => {
    rerender({ body });
    await advanceTime(ms);
  };
  return { sentBodies, result, advanceTime, changeBody };
}

it('sends the first body immediately, and later bodies after a pause', async () => {
  const { sentBodies, result, advanceTime, changeBody } = renderDryRun('a');
  await advanceTime(50);
  expect(result.current).toEqual({ result: 'a!', problem: null });
  await changeBody('ab', 400);
  await changeBody('abc', 400);
  expect([sentBodies, result.current.result]).toEqual([['a'], 'a!']);
  await advanceTime(200);
  expect([sentBodies, result.current.result]).toEqual([['a', 'abc'], 'abc!']);
});

it('returns the problem, and sends nothing while the body is null', async () => {
  const { sentBodies, result, changeBody } = renderDryRun(null);
  await changeBody('wrong');
  expect(result.current.result).toBeNull();
  expect(result.current.problem?.message).toBe('No.');
  await changeBody(null);
  expect(result.current).toEqual({ result: null, problem: null });
  expect(sentBodies).toEqual(['wrong']);
});
