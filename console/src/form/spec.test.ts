import { expect, expectTypeOf, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { or } from './codec';
import { confirmation, money, percent, quantity, texts, tick } from './codecs';
import { formOf, groupOf, isChanged, prefixed } from './spec';

interface Input {
  name?: string | null;
  price?: string | null;
  share?: string | null;
  count?: number;
  is_on?: boolean;
  confirm_below_margin?: boolean;
}

const SPEC = formOf<Input>()({
  price: money,
  share: or(percent, '0'),
  count: or(quantity, 0),
  is_on: tick,
  confirm_below_margin: confirmation,
});
const RECORD = { id: 7, price: '1.5', share: '0.125', count: 3, is_on: true, updated_at: 'then' };

it('reads a record with its stamp, and nothing that it has no codec for', () => {
  expect(SPEC.valuesOf(RECORD)).toEqual({
    price: '1.5',
    share: '12.5',
    count: '3',
    is_on: 'yes',
    confirm_below_margin: '',
    updated_at: 'then',
  });
  expect(SPEC.valuesOf({})).toEqual({ price: '', share: '', count: '', is_on: '', confirm_below_margin: '' });
});

it('sends of a changed record what differs, with the stamp of the record that it is about', () => {
  const base = SPEC.valuesOf(RECORD);
  expect(SPEC.changesOf(base, base)).toEqual({ updated_at: 'then' });
  const typed = { ...base, price: '1,50', share: '', is_on: '', updated_at: 'never' };
  expect(SPEC.changesOf(typed, base)).toEqual({ share: '0', is_on: false, updated_at: 'then' });
  expect(SPEC.changesOf({ ...base, confirm_below_margin: 'yes' }, base)).toEqual({
    confirm_below_margin: true,
    updated_at: 'then',
  });
});

it('sends of a new record all that is not empty, and every tick, as the server has some on by default', () => {
  expect(SPEC.newOf({ price: ' 2 ', share: '', about: 'x' })).toEqual({ price: '2', is_on: false });
  expect(SPEC.newOf({ is_on: '', updated_at: 'then' })).toEqual({ is_on: false });
  expect(SPEC.newOf({ is_on: 'yes', confirm_below_margin: 'yes' })).toEqual({
    is_on: true,
    confirm_below_margin: true,
  });
});

it('sends a whole record without what a codec leaves out', () => {
  expect(SPEC.wholeOf({ price: 'dear' })).toEqual({ price: 'dear', share: '0', count: 0, is_on: false });
  expect(SPEC.wholeOf({}, { updated_at: 'then' }).updated_at).toBe('then');
});

it('is changed where a field says something else', () => {
  expect(isChanged(SPEC, { price: '1,50', is_on: '' }, { price: '1.5' })).toBe(false);
  expect(isChanged(SPEC, { price: '1,51' }, { price: '1.5' })).toBe(true);
  expect(isChanged(SPEC, { about: 'x' }, {})).toBe(true);
  expect(isChanged(undefined, { price: '1,50' }, { price: '1.5' })).toBe(true);
});

it('names the fields of a group by the group, and back', () => {
  const values = prefixed('options', { fee: '1' });
  expect(values).toEqual({ 'options.fee': '1' });
  expect(groupOf('options', { ...values, fee: '2', 'options2.fee': '3' })).toEqual({ fee: '1' });
});

it('takes no codec of another type than its field has, and none for a field that is not there', () => {
  expectTypeOf(SPEC.changesOf).returns.toExtend<Input & { updated_at?: string }>();
  const grade = formOf<Schemas['GradeInput']>();
  expectTypeOf(grade({ translations: texts, spending_goal: money }).wholeOf).returns.toExtend<Schemas['GradeInput']>();
  // @ts-expect-error a sum of money is no number of days
  grade({ thumbnail_period: money });
  // @ts-expect-error a number of days is no sum of money
  grade({ spending_goal: quantity });
  // @ts-expect-error what is read must be what the codec shows
  SPEC.valuesOf({ count: 'three' });
});
