// Parses many prices from a text with one price per line: `service price` or `service price lowest`, separated by spaces,
// commas, semicolons or tabs. Maps the errors of the server back to the lines.
import type { Schemas } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';

type Price = Schemas['UserServicePrice'];

interface ParsedPrices {
  prices: { line: number; price: Price }[];
  /** The number of the first line that cannot be parsed, from 1. */
  invalidLine: number | null;
  /** Whether that line has two possible meanings. */
  isAmbiguous: boolean;
}

const NUMBER = /^\d+(\.\d+)?$/;
/** `118 12,5` may mean the price 12.5, or the price 12 and the lowest price 5. */
const AMBIGUOUS = /\d[\s,;]+\d+,\d+[\s,;]*$/;

export function parsePriceLines(text: string): ParsedPrices {
  const parsed: ParsedPrices = { prices: [], invalidLine: null, isAmbiguous: false };
  for (const [index, line] of text.split('\n').entries()) {
    const parts = line.split(/[\s,;]+/).filter(Boolean);
    if (parts.length === 0) continue;
    const [service = '', price = '', lowest] = parts;
    const isValid =
      /^\d+$/.test(service) && NUMBER.test(price) && (lowest === undefined || NUMBER.test(lowest)) && parts.length <= 3;
    const isAmbiguous = isValid && AMBIGUOUS.test(line);
    if (!isValid || isAmbiguous) return { ...parsed, invalidLine: index + 1, isAmbiguous };
    parsed.prices.push({
      line: index + 1,
      price: { service_id: Number(service), default_price: price, ...(lowest ? { min_price: lowest } : {}) },
    });
  }
  return parsed;
}

/**
 * Moves an error such as `user_services.3.min_price` to the field `lines`, with the number of the line that the entry came from.
 * `lines` has the line number of each entry.
 */
export function withLineErrors(
  error: unknown,
  lines: readonly number[],
  textOf: (line: number, message: string) => string,
): Problem {
  const problem = asProblem(error);
  const lineErrors = Object.entries(problem.fields).map(([field, messages]) => {
    const index = /^user_services\.(\d+)\./.exec(field)?.[1];
    const line = index === undefined ? undefined : lines[Number(index)];
    return line === undefined ? messages.join(' ') : textOf(line, messages.join(' '));
  });
  if (lineErrors.length === 0) return problem;
  const { status, code, message, requestId } = problem;
  return new Problem({ status, code, message, requestId, fields: { lines: lineErrors.slice(0, 5) } });
}
