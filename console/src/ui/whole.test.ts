import { expect, it } from 'vitest';
import { wholeOf } from './whole';

it('reads whole numbers and leaves what is none for the server to name', () => {
  expect([wholeOf('1 000'), wholeOf(' '), wholeOf('0')]).toEqual([1000, null, 0]);
  expect(JSON.stringify({ usage_limit: wholeOf('10x') })).toBe('{"usage_limit":"10x"}');
});
