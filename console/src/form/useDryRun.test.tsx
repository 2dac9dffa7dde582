import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { Queries } from '@/test/Queries';
import { useDryRun } from './useDryRun';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(first: string | null) {
  const asked: (string | null)[] = [];
  const send = async (body: string) => {
    asked.push(body);
    if (body === 'wrong') throw new Problem({ status: 422, code: 'invalid', message: 'No.' });
    return `${body}!`;
  };
  const { result, rerender } = renderHook(
    ({ body }: { body: string | null }) => useDryRun({ queryKey: ['tried'], body, send }),
    { initialProps: { body: first }, wrapper: Queries },
  );
  const pass = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    // What was asked in that time is drawn by a timer of its own.
    await act(() => vi.advanceTimersByTimeAsync(1));
  };
  const type = async (body: string | null, ms = 600) => {
    rerender({ body });
    await pass(ms);
  };
  return { asked, result, pass, type };
}

it('asks at once for the first body, and for what is typed after a pause', async () => {
  const { asked, result, pass, type } = open('a');
  await pass(50);
  expect(result.current).toEqual({ answer: 'a!', problem: null });
  await type('ab', 400);
  await type('abc', 400);
  expect([asked, result.current.answer]).toEqual([['a'], 'a!']);
  await pass(200);
  expect([asked, result.current.answer]).toEqual([['a', 'abc'], 'abc!']);
});

it('says what is wrong, and asks nothing where too little was typed', async () => {
  const { asked, result, type } = open(null);
  await type('wrong');
  expect(result.current.answer).toBeNull();
  expect(result.current.problem?.message).toBe('No.');
  await type(null);
  expect(result.current).toEqual({ answer: null, problem: null });
  expect(asked).toEqual(['wrong']);
});
