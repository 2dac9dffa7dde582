import { act, renderHook } from '@testing-library/react';
import type { FormEvent } from 'react';
import { expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { confirmation, useForm, type Values } from './useForm';

const form = (initial: Values) =>
  renderHook(
    ({ initial }) => useForm({ initial, follows: true, onClose: () => undefined, onSave: async () => undefined }),
    { initialProps: { initial } },
  );

it('takes over a newer record under what was typed', () => {
  const { result, rerender } = form({ name: 'a', on: '', updated_at: '1' });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'a', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: 'yes', updated_at: '2' });
  expect(result.current.was.updated_at).toBe('2');
  expect(result.current.isDirty).toBe(true);
});

it('stays with the record it began with where both changed the same', () => {
  const { result, rerender } = form({ name: 'a', on: '', updated_at: '1' });
  act(() => result.current.change('name', 'typed'));
  rerender({ initial: { name: 'theirs', on: 'yes', updated_at: '2' } });
  expect(result.current.values).toEqual({ name: 'typed', on: '', updated_at: '1' });
});

it('shows what was saved as the server wrote it, and keeps what was typed since', async () => {
  let saved: (values: Values) => void = () => undefined;
  let finish: () => void = () => undefined;
  const { result } = renderHook(() => {
    const form = useForm({
      initial: FIRST,
      follows: true,
      onClose: () => undefined,
      onSave: async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        saved({ price: '1.5', note: '', updated_at: '2' });
      },
    });
    return form;
  });
  act(() => result.current.change('price', '1.50'));
  saved = result.current.saved;
  let saving: Promise<void> = Promise.resolve();
  act(() => {
    saving = result.current.save({ preventDefault: () => undefined } as FormEvent);
  });
  act(() => result.current.change('note', 'since'));
  await act(async () => {
    finish();
    await saving;
  });
  expect(result.current.values).toEqual({ price: '1.5', note: 'since', updated_at: '2' });
});

it('asks for a confirmation only where the panel takes a price below the least margin', async () => {
  const sent: Values[] = [];
  const refusal = (hint: string) => {
    const fields = { price: [`9.9 is the lowest possible price.${hint}`] };
    return new Problem({ status: 422, code: 'below_least_margin', message: 'Too low.', fields });
  };
  let answer: Problem | null = refusal('');
  const { result } = renderHook(() =>
    useForm({
      initial: FIRST,
      onClose: () => undefined,
      onSave: async (values) => {
        sent.push(values);
        if (answer) throw answer;
      },
    }),
  );
  const save = () => act(() => result.current.save({ preventDefault: () => undefined } as FormEvent));
  await save();
  expect(result.current.confirmPrice).toBeNull();
  answer = refusal(' Send confirm_below_margin to set it all the same.');
  await save();
  answer = null;
  await act(async () => result.current.confirmPrice?.());
  expect(sent.map(confirmation)).toEqual([{}, {}, { confirm_below_margin: true }]);
});

const FIRST: Values = { price: '1', note: '', updated_at: '1' };
