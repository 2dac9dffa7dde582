import { expect, it } from 'vitest';
import { consumeDestination, parseInternalPath, saveDestination } from './destination';

it.each([
  ['/', '/'],
  ['/orders', '/orders'],
  ['/orders?status=stopped#top', '/orders?status=stopped#top'],
  ['/orders?back=https://evil.example', '/orders?back=https://evil.example'],
  ['/a/../users/7', '/users/7'],
  ['/x//y', '/x//y'],
  ['//evil.example', null],
  ['///evil.example', null],
  ['/\\evil.example', null],
  ['\\\\evil.example', null],
  ['/\t/evil.example', null],
  ['/\n/evil.example', null],
  ['\t//evil.example', null],
  [' //evil.example', null],
  ['/.//evil.example', null],
  ['/..//evil.example', null],
  ['/%5cevil.example', '/%5cevil.example'],
  ['https://evil.example', null],
  ['https:/evil.example', null],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['orders', null],
  ['?status=stopped', null],
  ['', null],
  [null, null],
])('parses %j as %j', (text, path) => {
  expect(parseInternalPath(text)).toBe(path);
});

it('returns a saved path of the console once, and never another URL', () => {
  saveDestination('/orders', 'status=stopped');
  expect([consumeDestination(), consumeDestination()]).toEqual(['/orders?status=stopped', '/']);
  saveDestination('//evil.example', '');
  expect(consumeDestination()).toBe('/');
});
