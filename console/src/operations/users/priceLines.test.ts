import { expect, test } from 'vitest';
import { Problem } from '@/api/problem';
import { canConfirmPrice } from '@/form/problems';
import { assignErrorsToLines, parsePriceLines } from './priceLines';

test('parses a line into service, price and an optional minimum price', () => {
  const { prices, invalidLine } = parsePriceLines('118 4.5\n\n 7;2;1.5 \n9,\t3');
  expect(invalidLine).toBeNull();
  expect(prices).toEqual([
    { line: 1, price: { service_id: 118, default_price: '4.5' } },
    { line: 3, price: { service_id: 7, default_price: '2', min_price: '1.5' } },
    { line: 4, price: { service_id: 9, default_price: '3' } },
  ]);
});

test('returns the number of the first line that cannot be parsed', () => {
  for (const text of ['118', '118 x', 'x 4', '118 -1', '118 1 2 3', '118 1e3']) {
    expect(parsePriceLines(`7 1\n${text}`).invalidLine, text).toBe(2);
  }
});

test('rejects an ambiguous line', () => {
  for (const text of ['118 12,5', '118,12,5', '118;12,5 ', '118\t1,500']) {
    expect([text, parsePriceLines(`7 1\n${text}`).invalidLine, parsePriceLines(text).isAmbiguous]).toEqual([
      text,
      2,
      true,
    ]);
  }
  for (const text of ['118, 12, 5', '118,12.5,4', '118,12', '118 12.5 4,5', '118 12,5 4']) {
    expect([text, parsePriceLines(text).isAmbiguous]).toEqual([text, false]);
  }
});

test('prefixes the error of an entry with its line number', () => {
  const entryProblem = new Problem({
    status: 422,
    code: 'invalid',
    message: 'Wrong.',
    fields: { 'user_services.1.service_id': ['There is no service 9.'] },
  });
  const assignedProblem = assignErrorsToLines(entryProblem, [1, 3], (line, message) => `${line}: ${message}`);
  expect(assignedProblem.fields).toEqual({ lines: ['3: There is no service 9.'] });
  const fields = { 'user_services.0.default_price': ['Send confirm_below_margin to set it anyway.'] };
  const belowMarginProblem = new Problem({
    status: 422,
    code: 'below_minimum_margin',
    message: 'Too low.',
    fields,
  });
  expect(canConfirmPrice(assignErrorsToLines(belowMarginProblem, [1], (line, message) => `${line}: ${message}`))).toBe(
    true,
  );
  const forbiddenProblem = new Problem({ status: 403, code: 'forbidden', message: 'No.' });
  expect(assignErrorsToLines(forbiddenProblem, [], String).message).toBe('No.');
});
