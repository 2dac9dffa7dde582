import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { confirmNavigation } from '@/ui/unsavedChanges';
import { confirmationCodec, idListCodec, moneyCodec, textCodec } from './codecs';
import { defineForm, type FormValues } from './spec';
import { type FormOptions, useForm } from './useForm';

afterEach(cleanup);

const INITIAL_VALUES: FormValues = { price: '1', note: '', updated_at: '1' };
const SPEC = defineForm<{ price?: string | null; note?: string }>()({ price: moneyCodec, note: textCodec });

const renderForm = (options: Partial<FormOptions<unknown>> = {}) =>
  renderHook(
    ({ initialValues }: { initialValues: FormValues }) =>
      useForm<unknown>({ send: async () => undefined, ...options, initialValues }),
    { initialProps: { initialValues: options.initialValues ?? INITIAL_VALUES }, wrapper: TestQueryProvider },
  );

const createRejection = (code: string, fields: Record<string, string[]> = {}) =>
  new Problem({ status: 409, code, message: 'No.', fields });

it('merges the edits into a changed record', () => {
  const { result, rerender } = renderForm({
    mergesNewInitialValues: true,
    initialValues: { name: 'a', on: '', updated_at: '1' },
  });
  act(() => result.current.setValue('name', 'typed'));
  rerender({ initialValues: { name: 'a', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: 'yes', updated_at: '2' });
  expect(result.current.base.updated_at).toBe('2');
  expect(result.current.isDirty).toBe(true);
});

it('keeps its old base if both users have changed the same field', () => {
  const { result, rerender } = renderForm({
    mergesNewInitialValues: true,
    initialValues: { name: 'a', on: '', updated_at: '1' },
  });
  act(() => result.current.setValue('name', 'typed'));
  rerender({ initialValues: { name: 'saved', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: '', updated_at: '1' });
});

it('shows the saved record, and keeps edits that the user has made after the submit', async () => {
  let endSave: () => void = () => undefined;
  const { result } = renderForm({
    send: () =>
      new Promise<void>((resolve) => {
        endSave = resolve;
      }),
    onDone: (_, { rebase }) => rebase({ price: '1.5', note: '', updated_at: '2' }),
  });
  act(() => result.current.setValue('price', '1.50'));
  let submission: Promise<unknown> = Promise.resolve();
  await act(async () => {
    submission = result.current.submit();
  });
  act(() => result.current.setValue('note', 'edited later'));
  await act(async () => {
    endSave();
    await submission;
  });
  expect(result.current.values).toEqual({ price: '1.5', note: 'edited later', updated_at: '2' });
  expect(result.current.base.updated_at).toBe('2');
});

it('asks for a confirmation only when the server accepts a price below the minimum margin', async () => {
  const sentValues: FormValues[] = [];
  const createLowPriceProblem = (hint: string) =>
    createRejection('below_minimum_margin', { price: [`9.9 is the lowest possible price.${hint}`] });
  let problem: Problem | null = createLowPriceProblem('');
  const { result } = renderForm({
    send: async ({ values }) => {
      sentValues.push(values);
      if (problem) throw problem;
    },
  });
  await act(() => result.current.submit());
  expect(result.current.submitWithPriceConfirmation).toBeNull();
  problem = createLowPriceProblem(' Send confirm_below_margin to set it anyway.');
  await act(() => result.current.submit());
  problem = null;
  await act(async () => result.current.submitWithPriceConfirmation?.());
  const confirmations = sentValues.map((values) => confirmationCodec.parse(values.confirm_below_margin ?? ''));
  expect(confirmations).toEqual([undefined, undefined, true]);
});

it('merges the edits into the current record after a conflict, and reports fields that both users have changed', async () => {
  const savedValues = { price: '3', note: 'saved', updated_at: '2' };
  let rejectsSave = true;
  const bases: (string | undefined)[] = [];
  const { result } = renderForm({
    spec: SPEC,
    reload: async () => savedValues,
    send: async ({ base }) => {
      bases.push(base.updated_at);
      if (rejectsSave) throw createRejection('changed_meanwhile');
    },
  });
  expect(result.current.loadLatest).toBeNull();
  act(() => result.current.setValue('price', '2'));
  await act(() => result.current.submit());
  await act(async () => result.current.loadLatest?.());
  expect(result.current.values).toEqual({ price: '2', note: 'saved', updated_at: '2' });
  expect(result.current.conflicts).toEqual({ price: '3' });
  expect([result.current.problem, result.current.loadLatest]).toEqual([null, null]);
  rejectsSave = false;
  await act(() => result.current.submit());
  expect(bases).toEqual(['1', '2']);
});

it('is dirty with another number, but not with another format of the same number', () => {
  const { result } = renderForm({ spec: SPEC, initialValues: { price: '1.5' } });
  for (const [price, isDirty] of [
    ['1,50', false],
    ['1.6', true],
    ['', true],
    ['1.5', false],
  ] as const) {
    act(() => result.current.setValue('price', price));
    expect([price, result.current.isDirty]).toEqual([price, isDirty]);
  }
});

it('clears errors when the user edits a field, and discards edits', async () => {
  const { result } = renderForm({
    send: async () => {
      throw createRejection('invalid', { note: ['Too short.'] });
    },
  });
  act(() => result.current.setValue('note', 'x'));
  await act(() => result.current.submit());
  expect(result.current.errors).toEqual({ note: ['Too short.'] });
  act(() => result.current.setValue('note', 'xy'));
  expect([result.current.problem, result.current.errors]).toEqual([null, {}]);
  act(() => result.current.discardEdits());
  expect([result.current.values, result.current.isDirty]).toEqual([INITIAL_VALUES, false]);
});

const LIST_SPEC = defineForm<{ roles?: number[]; note?: string }>()({ roles: idListCodec, note: textCodec });

it('reloads an unversioned list before it sends it, and stops if another user has changed the list', async () => {
  const sentValues: FormValues[] = [];
  let savedValues: FormValues = { roles: '2,1', note: '' };
  const { result } = renderForm({
    spec: LIST_SPEC,
    initialValues: { roles: '1,2', note: '' },
    unversionedLists: ['roles'],
    reload: async () => savedValues,
    send: async ({ values }) => void sentValues.push(values),
  });
  act(() => result.current.setValue('roles', '1,2,3'));
  await act(() => result.current.submit());
  expect(sentValues).toHaveLength(1);
  savedValues = { roles: '1,2,9', note: '' };
  await act(() => result.current.submit());
  expect([sentValues.length, result.current.problem?.code]).toEqual([1, 'changed_meanwhile']);
  await act(async () => result.current.loadLatest?.());
  expect([result.current.values.roles, result.current.conflicts]).toEqual(['1,2,3', { roles: '1,2,9' }]);
  await act(() => result.current.submit());
  expect(sentValues).toHaveLength(2);
});

it('does not reload an unversioned list that was not edited', async () => {
  const reload = vi.fn(async () => ({ roles: '9', note: '' }));
  const { result } = renderForm({
    spec: LIST_SPEC,
    initialValues: { roles: '1', note: '' },
    unversionedLists: ['roles'],
    reload,
  });
  act(() => result.current.setValue('note', 'typed'));
  await act(() => result.current.submit());
  expect(reload).not.toHaveBeenCalled();
});

it('asks before unsaved edits are discarded during a save', async () => {
  const confirmMock = vi.spyOn(window, 'confirm').mockReturnValue(false);
  const { result } = renderForm({ send: () => new Promise(() => undefined) });
  act(() => result.current.setValue('note', 'typed'));
  await act(async () => void result.current.submit());
  const navigate = vi.fn();
  confirmNavigation(navigate, '/');
  expect([confirmMock.mock.calls.length, navigate.mock.calls.length]).toEqual([1, 0]);
  confirmMock.mockRestore();
});
