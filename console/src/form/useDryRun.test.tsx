import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { useDryRun } from './useDryRun';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(first: string | null) {
  const sent: (string | null)[] = [];
  const send = async (body: string) => {
    sent.push(body);
    if (body === 'wrong') throw new Problem({ status: 422, code: 'invalid', message: 'No.' });
    return `${body}!`;
  };
  const { result, rerender } = renderHook(
    ({ body }: { body: string | null }) => useDryRun({ queryKey: ['dry-run'], body, send }),
    { initialProps: { body: first }, wrapper: TestQueryProvider },
  );
  const pass = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    // The answer is rendered by another timer.
    await act(() => vi.advanceTimersByTimeAsync(1));
  };
  const type = async (body: string | null, ms = 600) => {
    rerender({ body });
    await pass(ms);
  };
  return { sent, result, pass, type };
}

it('sends the first body at once, and later ones after a pause', async () => {
  const { sent, result, pass, type } = open('a');
  await pass(50);
  expect(result.current).toEqual({ answer: 'a!', problem: null });
  await type('ab', 400);
  await type('abc', 400);
  expect([sent, result.current.answer]).toEqual([['a'], 'a!']);
  await pass(200);
  expect([sent, result.current.answer]).toEqual([['a', 'abc'], 'abc!']);
});

it('returns the problem, and sends nothing without a body', async () => {
  const { sent, result, type } = open(null);
  await type('wrong');
  expect(result.current.answer).toBeNull();
  expect(result.current.problem?.message).toBe('No.');
  await type(null);
  expect(result.current).toEqual({ answer: null, problem: null });
  expect(sent).toEqual(['wrong']);
});
