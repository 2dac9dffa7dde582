import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import * as toasts from '@/ui/toasts';
import { type SubmitOptions, useSubmit } from './useSubmit';

let queryClient: QueryClient;
let shownToasts: unknown[];

beforeEach(() => {
  queryClient = new QueryClient();
  shownToasts = [];
  vi.spyOn(toasts, 'toast').mockImplementation((message) => void shownToasts.push(message));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function renderSubmit<Result>(options: SubmitOptions<Result, string>) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  return renderHook(() => useSubmit<Result, string>(options), { wrapper });
}

/** A call that the test resolves or rejects. */
function controlledCall() {
  const keys: string[] = [];
  const pendingCalls: { resolve: (result: string) => void; reject: (error: unknown) => void }[] = [];
  const send = vi.fn(
    (_: string, key: string) =>
      new Promise<string>((resolve, reject) => {
        keys.push(key);
        pendingCalls.push({ resolve, reject });
      }),
  );
  return { send, keys, pendingCalls };
}

const rejection = (code = 'invalid') =>
  new Problem({ status: 422, code, message: 'No.', fields: { name: ['Give a name.'] } });

it('sends once for several clicks, and shows a toast after success', async () => {
  const { send, pendingCalls } = controlledCall();
  const onDone = vi.fn();
  const { result } = renderSubmit({ send, onDone, success: (result, variables) => `${variables}: ${result}` });
  let submissions: Promise<unknown> = Promise.resolve();
  await act(async () => {
    submissions = Promise.all([result.current.submit('a'), result.current.submit('a')]);
  });
  expect(result.current.isPending).toBe(true);
  await act(async () => {
    pendingCalls[0]?.resolve('done');
    expect(await submissions).toEqual(['done', null]);
  });
  expect(send).toHaveBeenCalledOnce();
  expect(onDone.mock.calls).toEqual([['done', 'a']]);
  expect(shownToasts).toEqual([{ tone: 'success', text: 'a: done' }]);
  expect(result.current.isPending).toBe(false);
});

it('keeps the problem until the next call ends', async () => {
  const { send, pendingCalls } = controlledCall();
  const onProblem = vi.fn();
  const { result } = renderSubmit({ send, onProblem });
  const submit = async (endCall: () => void) => {
    await act(async () => void result.current.submit('a'));
    await act(async () => endCall());
  };
  await submit(() => pendingCalls[0]?.reject(rejection('changed_meanwhile')));
  expect(result.current.problem?.message).toBe('No.');
  expect([result.current.errors, result.current.isStale]).toEqual([{ name: ['Give a name.'] }, true]);
  expect(onProblem).toHaveBeenCalledOnce();
  await act(async () => void result.current.submit('a'));
  expect(result.current.problem).not.toBeNull();
  await act(async () => pendingCalls[1]?.resolve('done'));
  expect([result.current.problem, result.current.errors, result.current.isStale]).toEqual([null, {}, false]);
  expect(shownToasts).toEqual([]);
});

it('retries a failed call with the same key, and sends the next call with another key', async () => {
  const { send, keys, pendingCalls } = controlledCall();
  const { result } = renderSubmit({ send });
  const callEnds = [
    () => pendingCalls[0]?.reject(rejection()),
    () => pendingCalls[1]?.resolve(''),
    () => pendingCalls[2]?.resolve(''),
  ];
  for (const endCall of callEnds) {
    await act(async () => void result.current.submit('a'));
    await act(async () => endCall());
  }
  expect(keys[0]).toBe(keys[1]);
  expect(keys[1]).not.toBe(keys[2]);
});

it('shows a problem as a toast if asked to, and no toast for an aborted call', async () => {
  const { send, pendingCalls } = controlledCall();
  const { result } = renderSubmit({ send, showProblemAs: 'toast' });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingCalls[0]?.reject(rejection()));
  expect(shownToasts).toEqual([{ tone: 'error', text: 'No.' }]);
  expect(result.current.problem).toBeNull();
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingCalls[1]?.reject(new DOMException('', 'AbortError')));
  expect(shownToasts).toHaveLength(1);
});

it('calls onDone when the queries are refetched, but at the latest after a second', async () => {
  vi.useFakeTimers();
  const { send, pendingCalls } = controlledCall();
  const onDone = vi.fn();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries').mockReturnValue(new Promise(() => undefined));
  const { result } = renderSubmit({ send, onDone, invalidates: [['users']] });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingCalls[0]?.resolve('done'));
  expect(invalidate).toHaveBeenCalledExactlyOnceWith({ queryKey: ['users'] });
  await act(() => vi.advanceTimersByTimeAsync(999));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([0, true]);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([1, false]);
});

it('sends synchronously, and is pending until onDone returns', async () => {
  const { send, pendingCalls } = controlledCall();
  const pending: boolean[] = [];
  const { result } = renderSubmit({ send, onDone: () => void pending.push(result.current.isPending) });
  act(() => void result.current.submit('a'));
  expect([send.mock.calls.length, result.current.isPending]).toEqual([1, true]);
  await act(async () => pendingCalls[0]?.resolve('done'));
  expect([pending, result.current.isPending]).toEqual([[true], false]);
});

it('keeps its key after intermediate steps', async () => {
  const { send, keys, pendingCalls } = controlledCall();
  const { result } = renderSubmit({ send, isIntermediate: (result) => result === 'checked' });
  for (const callResult of ['checked', 'checked', 'done', 'checked']) {
    await act(async () => void result.current.submit('a'));
    await act(async () => pendingCalls.at(-1)?.resolve(callResult));
  }
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it('reports a reused key as an earlier success, and sends the next call with another key', async () => {
  await initI18n();
  const { send, keys, pendingCalls } = controlledCall();
  const { result } = renderSubmit({ send });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingCalls[0]?.reject(rejection('idempotency_key_reused')));
  expect(result.current.problem?.message).toContain('An earlier attempt was saved.');
  await act(async () => void result.current.submit('a'));
  expect(keys[0]).not.toBe(keys[1]);
});
