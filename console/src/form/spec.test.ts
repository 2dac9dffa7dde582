import { expect, expectTypeOf, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { orDefault } from './codec';
import {
  checkboxCodec,
  confirmationCodec,
  fractionAsPercentCodec,
  moneyCodec,
  quantityCodec,
  translationsCodec,
} from './codecs';
import { addPrefix, defineForm, hasChanges, removePrefix } from './spec';

interface Input {
  name?: string | null;
  price?: string | null;
  discount?: string | null;
  count?: number;
  is_on?: boolean;
  confirm_below_margin?: boolean;
}

const SPEC = defineForm<Input>()({
  price: moneyCodec,
  discount: orDefault(fractionAsPercentCodec, '0'),
  count: orDefault(quantityCodec, 0),
  is_on: checkboxCodec,
  confirm_below_margin: confirmationCodec,
});
const RECORD = { id: 7, price: '1.5', discount: '0.125', count: 3, is_on: true, updated_at: '2026-01-01' };

it('formats the fields that have a codec, and keeps updated_at', () => {
  expect(SPEC.toValues(RECORD)).toEqual({
    price: '1.5',
    discount: '12.5',
    count: '3',
    is_on: 'yes',
    confirm_below_margin: '',
    updated_at: '2026-01-01',
  });
  expect(SPEC.toValues({})).toEqual({ price: '', discount: '', count: '', is_on: '', confirm_below_margin: '' });
});

it('the body of a PATCH request has the changed fields and the updated_at of the loaded record', () => {
  const base = SPEC.toValues(RECORD);
  expect(SPEC.toPatch(base, base)).toEqual({ updated_at: '2026-01-01' });
  const edited = { ...base, price: '1,50', discount: '', is_on: '', updated_at: '2026-01-02' };
  expect(SPEC.toPatch(edited, base)).toEqual({ discount: '0', is_on: false, updated_at: '2026-01-01' });
  expect(SPEC.toPatch({ ...base, confirm_below_margin: 'yes' }, base)).toEqual({
    confirm_below_margin: true,
    updated_at: '2026-01-01',
  });
});

it('the body of a new record has all non-empty fields and every checkbox', () => {
  expect(SPEC.toCreateBody({ price: ' 2 ', discount: '', about: 'x' })).toEqual({ price: '2', is_on: false });
  expect(SPEC.toCreateBody({ is_on: '', updated_at: '2026-01-01' })).toEqual({ is_on: false });
  expect(SPEC.toCreateBody({ is_on: 'yes', confirm_below_margin: 'yes' })).toEqual({
    is_on: true,
    confirm_below_margin: true,
  });
});

it('a full body has all fields except the fields that their codec omits', () => {
  expect(SPEC.toBody({ price: 'dear' })).toEqual({ price: 'dear', discount: '0', count: 0, is_on: false });
  expect(SPEC.toBody({}, { updated_at: '2026-01-01' }).updated_at).toBe('2026-01-01');
});

it('a field is changed only if its value differs, not if only its text differs', () => {
  expect(hasChanges(SPEC, { price: '1,50', is_on: '' }, { price: '1.5' })).toBe(false);
  expect(hasChanges(SPEC, { price: '1,51' }, { price: '1.5' })).toBe(true);
  expect(hasChanges(SPEC, { about: 'x' }, {})).toBe(true);
  expect(hasChanges(undefined, { price: '1,50' }, { price: '1.5' })).toBe(true);
});

it('adds and removes the prefix of a group', () => {
  const values = addPrefix('options', { fee: '1' });
  expect(values).toEqual({ 'options.fee': '1' });
  expect(removePrefix('options', { ...values, fee: '2', 'options2.fee': '3' })).toEqual({ fee: '1' });
});

it('rejects codecs of the wrong type and codecs of unknown fields at compile time', () => {
  expectTypeOf(SPEC.toPatch).returns.toExtend<Input & { updated_at?: string }>();
  const defineGradeForm = defineForm<Schemas['GradeInput']>();
  expectTypeOf(defineGradeForm({ translations: translationsCodec, spending_goal: moneyCodec }).toBody).returns.toExtend<
    Schemas['GradeInput']
  >();
  // @ts-expect-error: a money codec for a number of days
  defineGradeForm({ thumbnail_period: moneyCodec });
  // @ts-expect-error: a quantity codec for an amount
  defineGradeForm({ spending_goal: quantityCodec });
  // @ts-expect-error: the field of the record has another type than its codec
  SPEC.toValues({ count: 'three' });
});
