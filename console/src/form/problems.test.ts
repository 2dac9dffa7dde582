import { expect, test } from 'vitest';
import { Problem } from '@/api/problem';
import {
  canConfirmPrice,
  collectFieldErrors,
  collectInnerErrors,
  getBarProblem,
  isWithinFields,
  renameRowErrors,
  rethrowWithoutPrefix,
} from './problems';

const createRejection = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Give a name. (and 1 more error)', fields, requestId: 'r-1' });
const isShownAtField = isWithinFields(['name', 'lines']);

test('the error bar does not show the error of a field that the form has', () => {
  expect(getBarProblem(null, isShownAtField)).toBeNull();
  expect(
    getBarProblem(createRejection({ name: ['Give a name.'], 'lines.3.percent': ['Too much.'] }), isShownAtField),
  ).toBeNull();
});

test('the error bar shows errors of fields that the form does not have', () => {
  const problem = getBarProblem(
    createRejection({ name: ['Give a name.'], network_id: ['There is no network 9.'] }),
    isShownAtField,
  );
  expect(problem?.message).toBe('There is no network 9.');
  expect(problem?.requestId).toBe('r-1');
  expect(getBarProblem(createRejection({ lines2: ['No.'] }), isShownAtField)?.message).toBe('No.');
});

test('the error bar shows a problem without field errors', () => {
  expect(getBarProblem(createRejection({}), isShownAtField)?.message).toBe('Give a name. (and 1 more error)');
});

test('removes the prefix of a group from field errors', () => {
  const fields = { 'group.name': ['Give a name.'], 'group.translations.de.name': ['Too long.'], other: ['Remove it.'] };
  const problem = new Problem({ status: 422, code: 'invalid', message: 'Give a name.', fields });
  try {
    rethrowWithoutPrefix('group')(problem);
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

test('rethrows other errors unchanged', () => {
  expect(() => rethrowWithoutPrefix('group')(new TypeError('broken'))).toThrow(TypeError);
});

test('renames the errors of rows', () => {
  const fields = { 'lines.1.cost': ['a'], 'lines.1.id': ['b'], date: ['c'], 'lines.x': ['d'] };
  const problem = new Problem({ status: 422, code: 'invalid', message: 'No.', fields });
  const ids = [7, 9];
  const getFieldName = (rowIndex: number) => `${ids[rowIndex]}.cost`;
  expect(renameRowErrors(problem, 'lines', getFieldName).fields).toEqual({
    '9.cost': ['a', 'b'],
    date: ['c'],
    'lines.x': ['d'],
  });
  expect(renameRowErrors(problem, 'lines', () => null).fields).toEqual(fields);
});

test('the errors of a field include the errors inside of it', () => {
  const errors = { lines: ['Too many.'], 'lines.3.percent': ['Too much.'], lines2: ['No.'] };
  expect(collectFieldErrors(errors, 'lines')).toEqual(['Too many.', 'Too much.']);
  expect(collectFieldErrors(errors, 'name')).toBeUndefined();
  expect(collectInnerErrors(errors, 'lines')).toEqual({ '3.percent': ['Too much.'] });
});

test('the user can confirm a low price only if the server accepts the confirmation', () => {
  const createLowPriceProblem = (hint: string, code = 'below_minimum_margin') =>
    new Problem({ status: 422, code, message: 'Too low.', fields: { price: [hint] } });
  expect(canConfirmPrice(createLowPriceProblem('Send confirm_below_margin to set it anyway.'))).toBe(true);
  expect(canConfirmPrice(createLowPriceProblem('9.9 is the lowest possible price.'))).toBe(false);
  expect(canConfirmPrice(createLowPriceProblem('confirm_below_margin', 'invalid'))).toBe(false);
  expect(canConfirmPrice(null)).toBe(false);
});
