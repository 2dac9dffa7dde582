import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
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

/** A call that answers when the test lets it. */
function call() {
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

const refused = (code = 'invalid') =>
  new Problem({ status: 422, code, message: 'No.', fields: { name: ['Give a name.'] } });

it('sends once, however often it is pressed, and says so once it is done', async () => {
  const { send, answers } = call();
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

it('keeps what was wrong until the next call is answered', async () => {
  const { send, answers } = call();
  const onProblem = vi.fn();
  const { result } = open({ send, onProblem });
  const submit = async (end: () => void) => {
    await act(async () => void result.current.submit('a'));
    await act(async () => end());
  };
  await submit(() => answers[0]?.reject(refused('changed_meanwhile')));
  expect(result.current.problem?.message).toBe('No.');
  expect([result.current.errors, result.current.isStale]).toEqual([{ name: ['Give a name.'] }, true]);
  expect(onProblem).toHaveBeenCalledOnce();
  await act(async () => void result.current.submit('a'));
  expect(result.current.problem).not.toBeNull();
  await act(async () => answers[1]?.resolve('done'));
  expect([result.current.problem, result.current.errors, result.current.isStale]).toEqual([null, {}, false]);
  expect(shown).toEqual([]);
});

it('repeats a call that failed under the same key, and does the next one under another', async () => {
  const { send, keys, answers } = call();
  const { result } = open({ send });
  const ends = [() => answers[0]?.reject(refused()), () => answers[1]?.resolve(''), () => answers[2]?.resolve('')];
  for (const end of ends) {
    await act(async () => void result.current.submit('a'));
    await act(async () => end());
  }
  expect(keys[0]).toBe(keys[1]);
  expect(keys[1]).not.toBe(keys[2]);
});

it('shows a problem as a toast where there is no form, and none of a call that was given up', async () => {
  const { send, answers } = call();
  const { result } = open({ send, shows: 'toast' });
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[0]?.reject(refused()));
  expect(shown).toEqual([{ tone: 'error', text: 'No.' }]);
  expect(result.current.problem).toBeNull();
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[1]?.reject(new DOMException('', 'AbortError')));
  expect(shown).toHaveLength(1);
});

it('counts as done once what it changed was read again, or after a second', async () => {
  vi.useFakeTimers();
  const { send, answers } = call();
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

it('sends at the press, and is pending until its owner knows of it', async () => {
  const { send, answers } = call();
  const pending: boolean[] = [];
  const { result } = open({ send, onDone: () => void pending.push(result.current.isPending) });
  act(() => void result.current.submit('a'));
  expect([send.mock.calls.length, result.current.isPending]).toEqual([1, true]);
  await act(async () => answers[0]?.resolve('done'));
  expect([pending, result.current.isPending]).toEqual([[true], false]);
});

it('stays under its key over the steps on the way', async () => {
  const { send, keys, answers } = call();
  const { result } = open({ send, isStep: (answer) => answer === 'checked' });
  for (const answer of ['checked', 'checked', 'done', 'checked']) {
    await act(async () => void result.current.submit('a'));
    await act(async () => answers.at(-1)?.resolve(answer));
  }
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it('says that an earlier try was done where its key is used up, and takes another for the next', async () => {
  await startTexts();
  const { send, keys, answers } = call();
  const { result } = open({ send });
  await act(async () => void result.current.submit('a'));
  await act(async () => answers[0]?.reject(refused('idempotency_key_reused')));
  expect(result.current.problem?.message).toContain('An earlier try was saved.');
  await act(async () => void result.current.submit('a'));
  expect(keys[0]).not.toBe(keys[1]);
});
