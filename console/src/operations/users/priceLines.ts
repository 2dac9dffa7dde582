// Many prices as text: a line each, `service price` or `service price lowest`, apart by spaces, commas, semicolons or
// tabs. What the server says of an entry is shown with its line.
import type { Schemas } from '@/api/client';
import { asProblem, Problem } from '@/api/problem';

type Price = Schemas['UserServicePrice'];

interface Read {
  prices: { line: number; price: Price }[];
  /** The first line that cannot be read. */
  wrong: number | null;
  /** Whether that line can be read in two ways. */
  isAmbiguous: boolean;
}

const NUMBER = /^\d+(\.\d+)?$/;
/** `118 12,5`: the price 12.5, or the price 12 and the lowest 5. */
const TWO_READINGS = /\d[\s,;]+\d+,\d+[\s,;]*$/;

export function linesOf(text: string): Read {
  const read: Read = { prices: [], wrong: null, isAmbiguous: false };
  for (const [at, line] of text.split('\n').entries()) {
    const parts = line.split(/[\s,;]+/).filter(Boolean);
    if (parts.length === 0) continue;
    const [service = '', price = '', lowest] = parts;
    const isRight =
      /^\d+$/.test(service) && NUMBER.test(price) && (lowest === undefined || NUMBER.test(lowest)) && parts.length <= 3;
    const isAmbiguous = isRight && TWO_READINGS.test(line);
    if (!isRight || isAmbiguous) return { ...read, wrong: at + 1, isAmbiguous };
    read.prices.push({
      line: at + 1,
      price: { service_id: Number(service), default_price: price, ...(lowest ? { min_price: lowest } : {}) },
    });
  }
  return read;
}

/** The server's word about `user_services.3.min_price`, at the line that it came from. */
export function placed(error: unknown, lines: readonly number[], say: (line: number, what: string) => string): Problem {
  const problem = asProblem(error);
  const lined = Object.entries(problem.fields).map(([field, messages]) => {
    const at = /^user_services\.(\d+)\./.exec(field)?.[1];
    const line = at === undefined ? undefined : lines[Number(at)];
    return line === undefined ? messages.join(' ') : say(line, messages.join(' '));
  });
  if (lined.length === 0) return problem;
  const { status, code, message, requestId } = problem;
  return new Problem({ status, code, message, requestId, fields: { lines: lined.slice(0, 5) } });
}
