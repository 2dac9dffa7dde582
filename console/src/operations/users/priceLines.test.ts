import { expect, test } from 'vitest';
import { Problem } from '@/api/problem';
import { asksForPrice } from '@/form/problems';
import { linesOf, placed } from './priceLines';

test('a line is a service, a price and perhaps the lowest', () => {
  const { prices, wrong } = linesOf('118 4.5\n\n 7;2;1.5 \n9,\t3');
  expect(wrong).toBeNull();
  expect(prices).toEqual([
    { line: 1, price: { service_id: 118, default_price: '4.5' } },
    { line: 3, price: { service_id: 7, default_price: '2', min_price: '1.5' } },
    { line: 4, price: { service_id: 9, default_price: '3' } },
  ]);
});

test('the first line that cannot be read is named', () => {
  for (const text of ['118', '118 x', 'x 4', '118 -1', '118 1 2 3', '118 1e3']) {
    expect(linesOf(`7 1\n${text}`).wrong, text).toBe(2);
  }
});

test('a line that can be read in two ways is named, and nothing is taken from it', () => {
  for (const text of ['118 12,5', '118,12,5', '118;12,5 ', '118\t1,500']) {
    expect([text, linesOf(`7 1\n${text}`).wrong, linesOf(text).isAmbiguous]).toEqual([text, 2, true]);
  }
  for (const text of ['118, 12, 5', '118,12.5,4', '118,12', '118 12.5 4,5', '118 12,5 4']) {
    expect([text, linesOf(text).isAmbiguous]).toEqual([text, false]);
  }
});

test('what the server says of an entry stands at its line', () => {
  const refused = new Problem({
    status: 422,
    code: 'invalid',
    message: 'Wrong.',
    fields: { 'user_services.1.service_id': ['There is no service 9.'] },
  });
  const problem = placed(refused, [1, 3], (line, what) => `${line}: ${what}`);
  expect(problem.fields).toEqual({ lines: ['3: There is no service 9.'] });
  const hint = { 'user_services.0.default_price': ['Send confirm_below_margin to set it all the same.'] };
  const low = new Problem({ status: 422, code: 'below_least_margin', message: 'Too low.', fields: hint });
  expect(asksForPrice(placed(low, [1], (line, what) => `${line}: ${what}`))).toBe(true);
  const other = new Problem({ status: 403, code: 'forbidden', message: 'No.' });
  expect(placed(other, [], String).message).toBe('No.');
});
