import { describe, expect, it } from 'vitest';
import { chooseTextColor, computeContrastRatio, getContrastLevel } from './contrast';

describe('contrast ratio', () => {
  it('is computed as in WCAG', () => {
    expect(computeContrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(computeContrastRatio('#ffffff', '#ffffff')).toBe(1);
    expect(computeContrastRatio('#7c3aed', '#FFFFFF')).toBeCloseTo(5.7, 1);
    expect(computeContrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('is null for invalid colors', () => {
    for (const invalid of ['', 'red', '#12345', '#12345g']) expect(computeContrastRatio(invalid, '#ffffff')).toBeNull();
  });

  it('is enough for all text, for large text, or for none', () => {
    expect([21, 4.5, 4.49, 3, 2.99].map(getContrastLevel)).toEqual([
      'allText',
      'allText',
      'largeText',
      'largeText',
      'tooLow',
    ]);
  });

  it('chooses black or white text for a background', () => {
    expect([chooseTextColor('#ffffff'), chooseTextColor('#111111'), chooseTextColor('#fcd34d')]).toEqual([
      '#000000',
      '#ffffff',
      '#000000',
    ]);
  });
});
