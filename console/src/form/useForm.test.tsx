import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { confirmNavigation } from '@/ui/unsaved';
import { confirmation, ids, money, text } from './codecs';
import { defineForm, type FormValues } from './spec';
import { type FormOptions, useForm } from './useForm';

afterEach(cleanup);

const FIRST: FormValues = { price: '1', note: '', updated_at: '1' };
const SPEC = defineForm<{ price?: string | null; note?: string }>()({ price: money, note: text });

const open = (options: Partial<FormOptions<unknown>> = {}) =>
  renderHook(
    ({ initial }: { initial: FormValues }) => useForm<unknown>({ send: async () => undefined, ...options, initial }),
    { initialProps: { initial: options.initial ?? FIRST }, wrapper: TestQueryProvider },
  );

const rejection = (code: string, fields: Record<string, string[]> = {}) =>
  new Problem({ status: 409, code, message: 'No.', fields });

it('merges a changed record under the edits', () => {
  const { result, rerender } = open({ followsRecord: true, initial: { name: 'a', on: '', updated_at: '1' } });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'a', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: 'yes', updated_at: '2' });
  expect(result.current.base.updated_at).toBe('2');
  expect(result.current.isDirty).toBe(true);
});

it('keeps its base when both have changed the same field', () => {
  const { result, rerender } = open({ followsRecord: true, initial: { name: 'a', on: '', updated_at: '1' } });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'theirs', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: '', updated_at: '1' });
});

it('shows the saved record, and keeps edits made since the submit', async () => {
  let finish: () => void = () => undefined;
  const { result } = open({
    send: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    onDone: (_, { rebase }) => rebase({ price: '1.5', note: '', updated_at: '2' }),
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

it('asks for a confirmation only when the server accepts a price below the minimum margin', async () => {
  const sent: FormValues[] = [];
  const low = (hint: string) =>
    rejection('below_least_margin', { price: [`9.9 is the lowest possible price.${hint}`] });
  let answer: Problem | null = low('');
  const { result } = open({
    send: async ({ values }) => {
      sent.push(values);
      if (answer) throw answer;
    },
  });
  await act(() => result.current.submit());
  expect(result.current.confirmPrice).toBeNull();
  answer = low(' Send confirm_below_margin to set it anyway.');
  await act(() => result.current.submit());
  answer = null;
  await act(async () => result.current.confirmPrice?.());
  const confirmed = sent.map((values) => confirmation.parse(values.confirm_below_margin ?? ''));
  expect(confirmed).toEqual([undefined, undefined, true]);
});

it('merges the edits into the current record after a conflict, and reports fields that both have changed', async () => {
  const newer = { price: '3', note: 'theirs', updated_at: '2' };
  let isRefused = true;
  const bases: (string | undefined)[] = [];
  const { result } = open({
    spec: SPEC,
    reload: async () => newer,
    send: async ({ base }) => {
      bases.push(base.updated_at);
      if (isRefused) throw rejection('changed_meanwhile');
    },
  });
  expect(result.current.loadLatest).toBeNull();
  act(() => result.current.change('price', '2'));
  await act(() => result.current.submit());
  await act(async () => result.current.loadLatest?.());
  expect(result.current.values).toEqual({ price: '2', note: 'theirs', updated_at: '2' });
  expect(result.current.conflicts).toEqual({ price: '3' });
  expect([result.current.problem, result.current.loadLatest]).toEqual([null, null]);
  isRefused = false;
  await act(() => result.current.submit());
  expect(bases).toEqual(['1', '2']);
});

it('is dirty after another number, but not after another spelling of the same', () => {
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

it('clears errors on the next edit, and discards edits', async () => {
  const { result } = open({
    send: async () => {
      throw rejection('invalid', { note: ['Too short.'] });
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

const LISTS = defineForm<{ roles?: number[]; note?: string }>()({ roles: ids, note: text });

it('reads an unversioned list before it sends it, and stops when another user has changed it', async () => {
  const sent: FormValues[] = [];
  let newer: FormValues = { roles: '2,1', note: '' };
  const { result } = open({
    spec: LISTS,
    initial: { roles: '1,2', note: '' },
    unversionedLists: ['roles'],
    reload: async () => newer,
    send: async ({ values }) => void sent.push(values),
  });
  act(() => result.current.change('roles', '1,2,3'));
  await act(() => result.current.submit());
  expect(sent).toHaveLength(1);
  newer = { roles: '1,2,9', note: '' };
  await act(() => result.current.submit());
  expect([sent.length, result.current.problem?.code]).toEqual([1, 'changed_meanwhile']);
  await act(async () => result.current.loadLatest?.());
  expect([result.current.values.roles, result.current.conflicts]).toEqual(['1,2,3', { roles: '1,2,9' }]);
  await act(() => result.current.submit());
  expect(sent).toHaveLength(2);
});

it('does not read an unversioned list that was not edited', async () => {
  const reload = vi.fn(async () => ({ roles: '9', note: '' }));
  const { result } = open({ spec: LISTS, initial: { roles: '1', note: '' }, unversionedLists: ['roles'], reload });
  act(() => result.current.change('note', 'typed'));
  await act(() => result.current.submit());
  expect(reload).not.toHaveBeenCalled();
});

it('protects unsaved edits while it saves', async () => {
  const ask = vi.spyOn(window, 'confirm').mockReturnValue(false);
  const { result } = open({ send: () => new Promise(() => undefined) });
  act(() => result.current.change('note', 'typed'));
  await act(async () => void result.current.submit());
  const go = vi.fn();
  confirmNavigation(go, '/');
  expect([ask.mock.calls.length, go.mock.calls.length]).toEqual([1, 0]);
  ask.mockRestore();
});
