import { describe, expect, it } from 'vitest';
import { fractionToPercent, percentToFraction } from './decimal';

describe('fractions', () => {
  it('are converted to percent and back without loss', () => {
    const pairs = [
      ['0', '0'],
      ['0.05', '5'],
      ['0.125', '12.5'],
      ['1', '100'],
      ['0.001', '0.1'],
      ['12.3456', '1234.56'],
      ['-0.5', '-50'],
    ] as const;
    for (const [fraction, percent] of pairs) {
      expect(fractionToPercent(fraction)).toBe(percent);
      expect(percentToFraction(percent)).toBe(fraction);
    }
  });

  it('accepts a comma, and returns invalid input unchanged', () => {
    expect([
      percentToFraction('7,5'),
      percentToFraction(' 5. '),
      percentToFraction('five'),
      percentToFraction(''),
    ]).toEqual(['0.075', '0.05', 'five', '']);
  });
});
