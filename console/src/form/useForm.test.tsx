import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { Queries } from '@/test/Queries';
import { guarded } from '@/ui/unsaved';
import { confirmation, ids, money, text } from './codecs';
import { type FormValues, formOf } from './spec';
import { type FormOptions, useForm } from './useForm';

afterEach(cleanup);

const FIRST: FormValues = { price: '1', note: '', updated_at: '1' };
const SPEC = formOf<{ price?: string | null; note?: string }>()({ price: money, note: text });

const open = (options: Partial<FormOptions<unknown>> = {}) =>
  renderHook(
    ({ initial }: { initial: FormValues }) => useForm<unknown>({ send: async () => undefined, ...options, initial }),
    { initialProps: { initial: options.initial ?? FIRST }, wrapper: Queries },
  );

const refusal = (code: string, fields: Record<string, string[]> = {}) =>
  new Problem({ status: 409, code, message: 'No.', fields });

it('takes over a newer record under what was typed', () => {
  const { result, rerender } = open({ follows: true, initial: { name: 'a', on: '', updated_at: '1' } });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'a', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: 'yes', updated_at: '2' });
  expect(result.current.base.updated_at).toBe('2');
  expect(result.current.isDirty).toBe(true);
});

it('stays with the record it began with where both changed the same', () => {
  const { result, rerender } = open({ follows: true, initial: { name: 'a', on: '', updated_at: '1' } });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'theirs', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: '', updated_at: '1' });
});

it('shows what was saved as the server wrote it, and keeps what was typed since', async () => {
  let finish: () => void = () => undefined;
  const { result } = open({
    send: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    onDone: (_, { saved }) => saved({ price: '1.5', note: '', updated_at: '2' }),
  });
  act(() => result.current.change('price', '1.50'));
  let sending: Promise<unknown> = Promise.resolve();
  await act(async () => {
    sending = result.current.submit();
  });
  act(() => result.current.change('note', 'since'));
  await act(async () => {
    finish();
    await sending;
  });
  expect(result.current.values).toEqual({ price: '1.5', note: 'since', updated_at: '2' });
  expect(result.current.base.updated_at).toBe('2');
});

it('asks for a confirmation only where the panel takes a price below the least margin', async () => {
  const sent: FormValues[] = [];
  const low = (hint: string) => refusal('below_least_margin', { price: [`9.9 is the lowest possible price.${hint}`] });
  let answer: Problem | null = low('');
  const { result } = open({
    send: async ({ values }) => {
      sent.push(values);
      if (answer) throw answer;
    },
  });
  await act(() => result.current.submit());
  expect(result.current.confirmPrice).toBeNull();
  answer = low(' Send confirm_below_margin to set it all the same.');
  await act(() => result.current.submit());
  answer = null;
  await act(async () => result.current.confirmPrice?.());
  const confirmed = sent.map((values) => confirmation.parse(values.confirm_below_margin ?? ''));
  expect(confirmed).toEqual([undefined, undefined, true]);
});

it('puts what was typed on top of the newer record after a conflict, and says what both changed', async () => {
  const newer = { price: '3', note: 'theirs', updated_at: '2' };
  let isRefused = true;
  const bases: (string | undefined)[] = [];
  const { result } = open({
    spec: SPEC,
    reload: async () => newer,
    send: async ({ base }) => {
      bases.push(base.updated_at);
      if (isRefused) throw refusal('changed_meanwhile');
    },
  });
  expect(result.current.loadNewer).toBeNull();
  act(() => result.current.change('price', '2'));
  await act(() => result.current.submit());
  await act(async () => result.current.loadNewer?.());
  expect(result.current.values).toEqual({ price: '2', note: 'theirs', updated_at: '2' });
  expect(result.current.conflicts).toEqual({ price: '3' });
  expect([result.current.problem, result.current.loadNewer]).toEqual([null, null]);
  isRefused = false;
  await act(() => result.current.submit());
  expect(bases).toEqual(['1', '2']);
});

it('is changed by another number, not by another way to write it', () => {
  const { result } = open({ spec: SPEC, initial: { price: '1.5' } });
  for (const [typed, isDirty] of [
    ['1,50', false],
    ['1.6', true],
    ['', true],
    ['1.5', false],
  ] as const) {
    act(() => result.current.change('price', typed));
    expect([typed, result.current.isDirty]).toEqual([typed, isDirty]);
  }
});

it('forgets what was wrong once something else is typed, and gives back the record', async () => {
  const { result } = open({
    send: async () => {
      throw refusal('invalid', { note: ['Too short.'] });
    },
  });
  act(() => result.current.change('note', 'x'));
  await act(() => result.current.submit());
  expect(result.current.errors).toEqual({ note: ['Too short.'] });
  act(() => result.current.change('note', 'xy'));
  expect([result.current.problem, result.current.errors]).toEqual([null, {}]);
  act(() => result.current.discard());
  expect([result.current.values, result.current.isDirty]).toEqual([FIRST, false]);
});

const LISTS = formOf<{ roles?: number[]; note?: string }>()({ roles: ids, note: text });

it('reads a list without a stamp just before it sends it, and stops where another person changed it', async () => {
  const sent: FormValues[] = [];
  let newer: FormValues = { roles: '2,1', note: '' };
  const { result } = open({
    spec: LISTS,
    initial: { roles: '1,2', note: '' },
    unguarded: ['roles'],
    reload: async () => newer,
    send: async ({ values }) => void sent.push(values),
  });
  act(() => result.current.change('roles', '1,2,3'));
  await act(() => result.current.submit());
  expect(sent).toHaveLength(1);
  newer = { roles: '1,2,9', note: '' };
  await act(() => result.current.submit());
  expect([sent.length, result.current.problem?.code]).toEqual([1, 'changed_meanwhile']);
  await act(async () => result.current.loadNewer?.());
  expect([result.current.values.roles, result.current.conflicts]).toEqual(['1,2,3', { roles: '1,2,9' }]);
  await act(() => result.current.submit());
  expect(sent).toHaveLength(2);
});

it('reads nothing before where such a list was not touched', async () => {
  const reload = vi.fn(async () => ({ roles: '9', note: '' }));
  const { result } = open({ spec: LISTS, initial: { roles: '1', note: '' }, unguarded: ['roles'], reload });
  act(() => result.current.change('note', 'typed'));
  await act(() => result.current.submit());
  expect(reload).not.toHaveBeenCalled();
});

it('guards what was typed while it saves', async () => {
  const ask = vi.spyOn(window, 'confirm').mockReturnValue(false);
  const { result } = open({ send: () => new Promise(() => undefined) });
  act(() => result.current.change('note', 'typed'));
  await act(async () => void result.current.submit());
  const go = vi.fn();
  guarded(go, '/');
  expect([ask.mock.calls.length, go.mock.calls.length]).toEqual([1, 0]);
  ask.mockRestore();
});
