// Converts filters of fractions: the API compares 0.125, the user types 12.5. Works for values, lists and ranges.
import { fractionToPercent, percentToFraction } from '@/form/decimal';

const NUMBER = /^-?\d+(\.\d+)?$/;

/** "0.05..0.125" → "5..12.5". */
export const fractionsToPercents = (wire: string): string =>
  mapParts(wire, (part) => (NUMBER.test(part) ? fractionToPercent(part) : part));

/** "5..12.5" → "0.05..0.125". Returns invalid input unchanged, so that the server reports it. */
export const percentsToFractions = (typed: string): string => mapParts(typed, percentToFraction);

function mapParts(text: string, change: (part: string) => string): string {
  return text
    .split(/(\.\.|,)/)
    .map((part, at) => (at % 2 === 1 || !part.trim() ? part : change(part.trim())))
    .join('');
}
