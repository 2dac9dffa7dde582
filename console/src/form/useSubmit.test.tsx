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

/** Creates a mocked request that the test resolves or rejects. */
function createControlledRequest() {
  const keys: string[] = [];
  const pendingRequests: { resolve: (result: string) => void; reject: (error: unknown) => void }[] = [];
  const send = vi.fn(
    (_: string, key: string) =>
      new Promise<string>((resolve, reject) => {
        keys.push(key);
        pendingRequests.push({ resolve, reject });
      }),
  );
  return { send, keys, pendingRequests };
}

const createRejection = (code = 'invalid') =>
  new Problem({ status: 422, code, message: 'No.', fields: { name: ['Give a name.'] } });

it('sends once for several clicks, and shows a toast after success', async () => {
  const { send, pendingRequests } = createControlledRequest();
  const onDone = vi.fn();
  const { result } = renderSubmit({ send, onDone, successMessage: (result, variables) => `${variables}: ${result}` });
  let submissions: Promise<unknown> = Promise.resolve();
  await act(async () => {
    submissions = Promise.all([result.current.submit('a'), result.current.submit('a')]);
  });
  expect(result.current.isPending).toBe(true);
  await act(async () => {
    pendingRequests[0]?.resolve('done');
    expect(await submissions).toEqual(['done', null]);
  });
  expect(send).toHaveBeenCalledOnce();
  expect(onDone.mock.calls).toEqual([['done', 'a']]);
  expect(shownToasts).toEqual([{ tone: 'success', text: 'a: done' }]);
  expect(result.current.isPending).toBe(false);
});

it('keeps the problem until the next request ends', async () => {
  const { send, pendingRequests } = createControlledRequest();
  const onProblem = vi.fn();
  const { result } = renderSubmit({ send, onProblem });
  const submit = async (endRequest: () => void) => {
    await act(async () => void result.current.submit('a'));
    await act(async () => endRequest());
  };
  await submit(() => pendingRequests[0]?.reject(createRejection('changed_meanwhile')));
  expect(result.current.problem?.message).toBe('No.');
  expect([result.current.errors, result.current.isStale]).toEqual([{ name: ['Give a name.'] }, true]);
  expect(onProblem).toHaveBeenCalledOnce();
  await act(async () => void result.current.submit('a'));
  expect(result.current.problem).not.toBeNull();
  await act(async () => pendingRequests[1]?.resolve('done'));
  expect([result.current.problem, result.current.errors, result.current.isStale]).toEqual([null, {}, false]);
  expect(shownToasts).toEqual([]);
});

it('retries a failed request with the same key, and sends the next request with another key', async () => {
  const { send, keys, pendingRequests } = createControlledRequest();
  const { result } = renderSubmit({ send });
  const endRequests = [
    () => pendingRequests[0]?.reject(createRejection()),
    () => pendingRequests[1]?.resolve(''),
    () => pendingRequests[2]?.resolve(''),
  ];
  for (const endCall of endRequests) {
    await act(async () => void result.current.submit('a'));
    await act(async () => endCall());
  }
  expect(keys[0]).toBe(keys[1]);
  expect(keys[1]).not.toBe(keys[2]);
});

it('shows a problem as a toast if showProblemAs is toast, and no toast for an aborted request', async () => {
  const { send, pendingRequests } = createControlledRequest();
  const { result } = renderSubmit({ send, showProblemAs: 'toast' });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingRequests[0]?.reject(createRejection()));
  expect(shownToasts).toEqual([{ tone: 'error', text: 'No.' }]);
  expect(result.current.problem).toBeNull();
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingRequests[1]?.reject(new DOMException('', 'AbortError')));
  expect(shownToasts).toHaveLength(1);
});

it('calls onDone after the queries are refetched, but at the latest after one second', async () => {
  vi.useFakeTimers();
  const { send, pendingRequests } = createControlledRequest();
  const onDone = vi.fn();
  const invalidateMock = vi.spyOn(queryClient, 'invalidateQueries').mockReturnValue(new Promise(() => undefined));
  const { result } = renderSubmit({ send, onDone, invalidatedQueries: [['users']] });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingRequests[0]?.resolve('done'));
  expect(invalidateMock).toHaveBeenCalledExactlyOnceWith({ queryKey: ['users'] });
  await act(() => vi.advanceTimersByTimeAsync(999));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([0, true]);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([1, false]);
});

it('sends synchronously, and is pending until onDone returns', async () => {
  const { send, pendingRequests } = createControlledRequest();
  const pendingStates: boolean[] = [];
  const { result } = renderSubmit({ send, onDone: () => void pendingStates.push(result.current.isPending) });
  act(() => void result.current.submit('a'));
  expect([send.mock.calls.length, result.current.isPending]).toEqual([1, true]);
  await act(async () => pendingRequests[0]?.resolve('done'));
  expect([pendingStates, result.current.isPending]).toEqual([[true], false]);
});

it('keeps its key after intermediate results', async () => {
  const { send, keys, pendingRequests } = createControlledRequest();
  const { result } = renderSubmit({ send, isIntermediateResult: (result) => result === 'checked' });
  for (const requestResult of ['checked', 'checked', 'done', 'checked']) {
    await act(async () => void result.current.submit('a'));
    await act(async () => pendingRequests.at(-1)?.resolve(requestResult));
  }
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it('explains that an earlier attempt was saved if the key was reused, and sends the next request with another key', async () => {
  await initI18n();
  const { send, keys, pendingRequests } = createControlledRequest();
  const { result } = renderSubmit({ send });
  await act(async () => void result.current.submit('a'));
  await act(async () => pendingRequests[0]?.reject(createRejection('idempotency_key_reused')));
  expect(result.current.problem?.message).toContain('A previous save succeeded although an error was shown.');
  await act(async () => void result.current.submit('a'));
  expect(keys[0]).not.toBe(keys[1]);
});
