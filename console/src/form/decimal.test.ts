import { describe, expect, it } from 'vitest';
import { fractionOf, percentOf } from './decimal';

describe('shares', () => {
  it('are read as percents and sent as fractions, digit by digit', () => {
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
      expect(percentOf(fraction)).toBe(percent);
      expect(fractionOf(percent)).toBe(fraction);
    }
  });

  it('takes a comma, and leaves what is no number to the server', () => {
    expect([fractionOf('7,5'), fractionOf(' 5. '), fractionOf('five'), fractionOf('')]).toEqual([
      '0.075',
      '0.05',
      'five',
      '',
    ]);
  });
});
