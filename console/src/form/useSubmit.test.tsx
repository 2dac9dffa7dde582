import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { initI18n } from '@/i18n';
import * as toasts from '@/ui/toasts';
import { type SubmitOptions, useSubmit } from './useSubmit';

let queries: QueryClient;
let shown: unknown[];

beforeEach(() => {
  queries = new QueryClient();
  shown = [];
  vi.spyOn(toasts, 'toast').mockImplementation((message) => void shown.push(message));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function open<Answer>(options: SubmitOptions<Answer, string>) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  return renderHook(() => useSubmit<Answer, string>(options), { wrapper });
}

/** A call that the test resolves or rejects. */
function controlledCall() {
  const keys: string[] = [];
  const answers: { resolve: (answer: string) => void; reject: (error: unknown) => void }[] = [];
  const send = vi.fn(
    (_: string, key: string) =>
      new Promise<string>((resolve, reject) => {
        keys.push(key);
        answers.push({ resolve, reject });
      }),
  );
  return { send, keys, answers };
}

const rejection = (code = 'invalid') =>
  new Problem({ status: 422, code, message: 'No.', fields: { name: ['Give a name.'] } });

it('sends once for several clicks, and shows a toast after success', async () => {
  const { send, answers } = controlledCall();
  const onDone = vi.fn();
  const { result } = open({ send, onDone, success: (answer, sent) => `${sent}: ${answer}` });
  let both: Promise<unknown> = Promise.resolve();
  await act(async () => {
    both = Promise.all([result.current.submit('a'), result.current.submit('a')]);
  });
  expect(result.current.isPending).toBe(true);
  await act(async () => {
    answers[0]?.resolve('done');
    expect(await both).toEqual(['done', null]);
  });
  expect(send).toHaveBeenCalledOnce();
  expect(onDone.mock.calls).toEqual([['done', 'a']]);
  expect(shown).toEqual([{ tone: 'success', text: 'a: done' }]);
  expect(result.current.isPending).toBe(false);
});

it('keeps the problem until the next call is answered', async () => {
  const { send, answers } = controlledCall();
  const onProblem = vi.fn();
  const { result } = open({ send, onProblem });
  const submit = async (end: () => void) => {
    await act(async () => void result.current.submit('a'));
    await act(async () => end());
  };
  await submit(() => answers[0]?.reject(rejection('changed_meanwhile')));
  expect(result.current.problem?.message).toBe('No.');
  expect([result.current.errors, result.current.isStale]).toEqual([{ name: ['Give a name.'] }, true]);
  expect(onProblem).toHaveBeenCalledOnce();
  await act(async () => void result.current.submit('a'));
  expect(result.current.problem).not.toBeNull();
  await act(async () => answers[1]?.resolve('done'));
  expect([result.current.problem, result.current.errors, result.current.isStale]).toEqual([null, {}, false]);
  expect(shown).toEqual([]);
});

it('retries a failed call under the same key, and sends the next call under another', async () => {
  const { send, keys, answers } = controlledCall();
  const { result } = open({ send });
  const ends = [() => answers[0]?.reject(rejection()), () => answers[1]?.resolve(''), () => answers[2]?.resolve('')];
  for (const end of ends) {
    await act(async () => void result.current.submit('a'));
    await act(async () => end());
  }
  expect(keys[0]).toBe(keys[1]);
  expect(keys[1]).not.toBe(keys[2]);
});

it('shows a problem as a toast without a form, and none for an aborted call', async () => {
  const { send, answers } = controlledCall();
  const { result } = open({ send, showProblemAs: 'toast' });
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[0]?.reject(rejection()));
  expect(shown).toEqual([{ tone: 'error', text: 'No.' }]);
  expect(result.current.problem).toBeNull();
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[1]?.reject(new DOMException('', 'AbortError')));
  expect(shown).toHaveLength(1);
});

it('calls onDone once queries are refetched, or after a second', async () => {
  vi.useFakeTimers();
  const { send, answers } = controlledCall();
  const onDone = vi.fn();
  const invalidate = vi.spyOn(queries, 'invalidateQueries').mockReturnValue(new Promise(() => undefined));
  const { result } = open({ send, onDone, invalidates: [['users']] });
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[0]?.resolve('done'));
  expect(invalidate).toHaveBeenCalledExactlyOnceWith({ queryKey: ['users'] });
  await act(() => vi.advanceTimersByTimeAsync(999));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([0, true]);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect([onDone.mock.calls.length, result.current.isPending]).toEqual([1, false]);
});

it('sends synchronously, and is pending until onDone returns', async () => {
  const { send, answers } = controlledCall();
  const pending: boolean[] = [];
  const { result } = open({ send, onDone: () => void pending.push(result.current.isPending) });
  act(() => void result.current.submit('a'));
  expect([send.mock.calls.length, result.current.isPending]).toEqual([1, true]);
  await act(async () => answers[0]?.resolve('done'));
  expect([pending, result.current.isPending]).toEqual([[true], false]);
});

it('keeps its key over intermediate steps', async () => {
  const { send, keys, answers } = controlledCall();
  const { result } = open({ send, isStep: (answer) => answer === 'checked' });
  for (const answer of ['checked', 'checked', 'done', 'checked']) {
    await act(async () => void result.current.submit('a'));
    await act(async () => answers.at(-1)?.resolve(answer));
  }
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it('reports a reused key as an earlier success, and uses another key next', async () => {
  await initI18n();
  const { send, keys, answers } = controlledCall();
  const { result } = open({ send });
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[0]?.reject(rejection('idempotency_key_reused')));
  expect(result.current.problem?.message).toContain('An earlier attempt was saved.');
  await act(async () => void result.current.submit('a'));
  expect(keys[0]).not.toBe(keys[1]);
});
