import { expect, test } from 'vitest';
import { Problem } from '@/api/problem';
import { asksForPrice, atRows, beside, errorsAt, inPart, isAt, within } from './problems';

const refused = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Give a name. (and 1 more error)', fields, requestId: 'r-1' });
const drawn = isAt(['name', 'lines']);

test('what is wrong with a field is shown there alone', () => {
  expect(beside(null, drawn)).toBeNull();
  expect(beside(refused({ name: ['Give a name.'], 'lines.3.percent': ['Too much.'] }), drawn)).toBeNull();
});

test('a field that is not drawn is shown in the bar, whatever else is wrong', () => {
  const problem = beside(refused({ name: ['Give a name.'], network_id: ['There is no network 9.'] }), drawn);
  expect(problem?.message).toBe('There is no network 9.');
  expect(problem?.requestId).toBe('r-1');
  expect(beside(refused({ lines2: ['No.'] }), drawn)?.message).toBe('No.');
});

test('a problem without fields is shown whole', () => {
  expect(beside(refused({}), drawn)?.message).toBe('Give a name. (and 1 more error)');
});

test('names the fields of a part of a body as the form does', () => {
  const fields = { 'part.name': ['Give a name.'], 'part.translations.de.name': ['Too long.'], other: ['Remove it.'] };
  const problem = new Problem({ status: 422, code: 'invalid', message: 'Give a name.', fields });
  try {
    inPart('part')(problem);
  } catch (error) {
    expect(error).toMatchObject({ status: 422, code: 'invalid', message: 'Give a name.' });
    expect((error as Problem).fields).toEqual({
      name: ['Give a name.'],
      'translations.de.name': ['Too long.'],
      other: ['Remove it.'],
    });
  }
  expect.assertions(2);
});

test('passes on what is no problem', () => {
  expect(() => inPart('part')(new TypeError('broken'))).toThrow(TypeError);
});

test('errors of rows get the names of what each row is of', () => {
  const fields = { 'lines.1.cost': ['a'], 'lines.1.id': ['b'], date: ['c'], 'lines.x': ['d'] };
  const problem = new Problem({ status: 422, code: 'invalid', message: 'No.', fields });
  const ids = [7, 9];
  const nameOf = (row: number) => `${ids[row]}.cost`;
  expect(atRows(problem, 'lines', nameOf).fields).toEqual({ '9.cost': ['a', 'b'], date: ['c'], 'lines.x': ['d'] });
  expect(atRows(problem, 'lines', () => null).fields).toEqual(fields);
});

test('a field has what is wrong within it', () => {
  const errors = { lines: ['Too many.'], 'lines.3.percent': ['Too much.'], lines2: ['No.'] };
  expect(errorsAt(errors, 'lines')).toEqual(['Too many.', 'Too much.']);
  expect(errorsAt(errors, 'name')).toBeUndefined();
  expect(within(errors, 'lines')).toEqual({ '3.percent': ['Too much.'] });
});

test('the panel asks for a price only where it takes it', () => {
  const low = (hint: string, code = 'below_least_margin') =>
    new Problem({ status: 422, code, message: 'Too low.', fields: { price: [hint] } });
  expect(asksForPrice(low('Send confirm_below_margin to set it all the same.'))).toBe(true);
  expect(asksForPrice(low('9.9 is the lowest possible price.'))).toBe(false);
  expect(asksForPrice(low('confirm_below_margin', 'invalid'))).toBe(false);
  expect(asksForPrice(null)).toBe(false);
});
