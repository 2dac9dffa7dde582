import { expect, it } from 'vitest';
import { formatCell } from './csv';

it('quotes values and neutralizes formulas', () => {
  expect(['a', 'a,b', 'a"b', '=1+1', '-5.25', '@x', 7, null].map(formatCell)).toEqual([
    'a',
    '"a,b"',
    '"a""b"',
    "'=1+1",
    '-5.25',
    "'@x",
    '7',
    '',
  ]);
  for (const formula of ['＝1', ' =1', '\u200b@a', '\ufeff=1', '\tx', "'=1", '-1e5', '\u202e=1'])
    expect(formatCell(formula).replace(/^"/, '')[0], formula).toBe("'");
});
