// Converts filters between the fractions of the API (0.125) and the percentages that the user types (12.5). Supports single values,
// lists and ranges.
import { fractionToPercent, percentToFraction } from '@/form/decimal';

const NUMBER_PATTERN = /^-?\d+(\.\d+)?$/;

/** "0.05..0.125" → "5..12.5". */
export const fractionsToPercents = (filter: string): string =>
  mapNumbers(filter, (part) => (NUMBER_PATTERN.test(part) ? fractionToPercent(part) : part));

/** "5..12.5" → "0.05..0.125". Returns invalid input unchanged, so that the server reports it. */
export const percentsToFractions = (filter: string): string => mapNumbers(filter, percentToFraction);

/** Applies `convert` to each part of a list or range, and keeps the separators. */
function mapNumbers(text: string, convert: (part: string) => string): string {
  return text
    .split(/(\.\.|,)/)
    .map((part, index) => (index % 2 === 1 || !part.trim() ? part : convert(part.trim())))
    .join('');
}
