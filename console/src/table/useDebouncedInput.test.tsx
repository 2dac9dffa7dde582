import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useDebouncedInput } from './useDebouncedInput';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('reports the input once, 500 ms after the last keystroke', () => {
  const changes: string[] = [];
  const { result } = renderHook(() => useDebouncedInput('', (value) => changes.push(value)));
  for (const text of ['a', 'an', 'anna ']) {
    act(() => result.current.setDraft(text));
    act(() => vi.advanceTimersByTime(499));
  }
  expect([changes, result.current.draft]).toEqual([[], 'anna ']);
  act(() => vi.advanceTimersByTime(1));
  expect(changes).toEqual(['anna']);
  act(() => vi.advanceTimersByTime(5_000));
  expect(changes).toEqual(['anna']);
});

it('reports the input immediately when the user presses Enter', () => {
  const changes: [string, boolean][] = [];
  const { result } = renderHook(() =>
    useDebouncedInput('', (value, pushHistory) => changes.push([value, pushHistory])),
  );
  act(() => result.current.setDraft('INV-7'));
  act(() => result.current.commit());
  act(() => vi.advanceTimersByTime(500));
  expect(changes).toEqual([['INV-7', true]]);
});
