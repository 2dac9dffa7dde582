// Filters of shares: the wire compares 0.125, people read and type 12.5. Values, lists and ranges alike.
import { fractionOf, percentOf } from '@/form/decimal';

const NUMBER = /^-?\d+(\.\d+)?$/;

/** "0.05..0.125" → "5..12.5". */
export const percents = (wire: string): string => each(wire, (part) => (NUMBER.test(part) ? percentOf(part) : part));

/** "5..12.5" → "0.05..0.125"; what is no number stays, for the server to name. */
export const fractions = (typed: string): string => each(typed, fractionOf);

function each(text: string, change: (part: string) => string): string {
  return text
    .split(/(\.\.|,)/)
    .map((part, at) => (at % 2 === 1 || !part.trim() ? part : change(part.trim())))
    .join('');
}
