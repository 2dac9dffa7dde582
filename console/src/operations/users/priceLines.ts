// Parses many prices from a text with one price per line: `service_id price` or `service_id price min_price`, separated by
// spaces, commas, semicolons or tabs. Assigns the errors of the server to the lines.
import type { Schemas } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';

type PriceInput = Schemas['UserServicePrice'];

interface ParsedPriceLines {
  prices: { line: number; price: PriceInput }[];
  /** The number of the first line that cannot be parsed, from 1. */
  invalidLine: number | null;
  /** Whether the invalid line can be read in two ways. */
  isAmbiguous: boolean;
}

const MAX_ERRORS = 5;
const DECIMAL_PATTERN = /^\d+(\.\d+)?$/;
/** `118 12,5` can be the price 12.5, or the price 12 and the minimum price 5. */
const AMBIGUOUS_LINE_PATTERN = /\d[\s,;]+\d+,\d+[\s,;]*$/;

export function parsePriceLines(text: string): ParsedPriceLines {
  const result: ParsedPriceLines = { prices: [], invalidLine: null, isAmbiguous: false };
  for (const [index, line] of text.split('\n').entries()) {
    const parts = line.split(/[\s,;]+/).filter(Boolean);
    if (parts.length === 0) continue;
    const [serviceId = '', price = '', minPrice] = parts;
    const isValid =
      /^\d+$/.test(serviceId) &&
      DECIMAL_PATTERN.test(price) &&
      (minPrice === undefined || DECIMAL_PATTERN.test(minPrice)) &&
      parts.length <= 3;
    const isAmbiguous = isValid && AMBIGUOUS_LINE_PATTERN.test(line);
    if (!isValid || isAmbiguous) return { ...result, invalidLine: index + 1, isAmbiguous };
    result.prices.push({
      line: index + 1,
      price: { service_id: Number(serviceId), default_price: price, ...(minPrice ? { min_price: minPrice } : {}) },
    });
  }
  return result;
}

/**
 * Moves an error such as `user_services.3.min_price` to the form field `lines`. `lineNumbers` contains the line number of each
 * entry of the request; `formatError` adds the line number to the message. Only the first `MAX_ERRORS` errors are kept.
 */
export function assignErrorsToLines(
  error: unknown,
  lineNumbers: readonly number[],
  formatError: (line: number, message: string) => string,
): Problem {
  const problem = asProblem(error);
  const lineErrors = Object.entries(problem.fields).map(([field, messages]) => {
    const index = /^user_services\.(\d+)\./.exec(field)?.[1];
    const line = index === undefined ? undefined : lineNumbers[Number(index)];
    return line === undefined ? messages.join(' ') : formatError(line, messages.join(' '));
  });
  if (lineErrors.length === 0) return problem;
  const { status, code, message, requestId } = problem;
  return new Problem({ status, code, message, requestId, fields: { lines: lineErrors.slice(0, MAX_ERRORS) } });
}
