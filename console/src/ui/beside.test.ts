import { expect, test } from 'vitest';
import { Problem } from '@/api/problem';
import { beside, isAt } from './beside';

const refused = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Give a name. (and 1 more error)', fields, requestId: 'r-1' });
const drawn = isAt(['name', 'lines']);

test('what is at a field stands there alone', () => {
  expect(beside(null, drawn)).toBeNull();
  expect(beside(refused({ name: ['Give a name.'], 'lines.3.percent': ['Too much.'] }), drawn)).toBeNull();
});

test('a field that is not drawn is told in the bar, whatever else is wrong', () => {
  const problem = beside(refused({ name: ['Give a name.'], network_id: ['There is no network 9.'] }), drawn);
  expect(problem?.message).toBe('There is no network 9.');
  expect(problem?.requestId).toBe('r-1');
  expect(beside(refused({ lines2: ['No.'] }), drawn)?.message).toBe('No.');
});

test('a problem without fields is told whole', () => {
  expect(beside(refused({}), drawn)?.message).toBe('Give a name. (and 1 more error)');
});
