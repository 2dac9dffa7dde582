import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { useDryRun } from './useDryRun';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function renderDryRun(firstBody: string | null) {
  const sentValues: (string | null)[] = [];
  const send = async (body: string) => {
    sentValues.push(body);
    if (body === 'wrong') throw new Problem({ status: 422, code: 'invalid', message: 'No.' });
    return `${body}!`;
  };
  const { result, rerender } = renderHook(
    ({ body }: { body: string | null }) => useDryRun({ queryKey: ['dry-run'], body, send }),
    { initialProps: { body: firstBody }, wrapper: TestQueryProvider },
  );
  const advance = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    // The result is rendered by another timer.
    await act(() => vi.advanceTimersByTimeAsync(1));
  };
  const changeBody = async (body: string | null, ms = 600) => {
    rerender({ body });
    await advance(ms);
  };
  return { sentValues, result, advance, changeBody };
}

it('sends the first body at once, and later ones after a pause', async () => {
  const { sentValues, result, advance, changeBody } = renderDryRun('a');
  await advance(50);
  expect(result.current).toEqual({ result: 'a!', problem: null });
  await changeBody('ab', 400);
  await changeBody('abc', 400);
  expect([sentValues, result.current.result]).toEqual([['a'], 'a!']);
  await advance(200);
  expect([sentValues, result.current.result]).toEqual([['a', 'abc'], 'abc!']);
});

it('returns the problem, and sends nothing without a body', async () => {
  const { sentValues, result, changeBody } = renderDryRun(null);
  await changeBody('wrong');
  expect(result.current.result).toBeNull();
  expect(result.current.problem?.message).toBe('No.');
  await changeBody(null);
  expect(result.current).toEqual({ result: null, problem: null });
  expect(sentValues).toEqual(['wrong']);
});
