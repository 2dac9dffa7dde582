import { describe, expect, it } from 'vitest';
import { contrastLevel, contrastRatio, textColorOn } from './contrast';

describe('contrast ratio', () => {
  it('is computed as in WCAG', () => {
    expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrastRatio('#ffffff', '#ffffff')).toBe(1);
    expect(contrastRatio('#7c3aed', '#FFFFFF')).toBeCloseTo(5.7, 1);
    expect(contrastRatio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('is null for invalid colors', () => {
    for (const invalid of ['', 'red', '#12345', '#12345g']) expect(contrastRatio(invalid, '#ffffff')).toBeNull();
  });

  it('is enough for all text, for large text, or for none', () => {
    expect([21, 4.5, 4.49, 3, 2.99].map(contrastLevel)).toEqual(['text', 'text', 'large', 'large', 'none']);
  });

  it('chooses black or white text for a background', () => {
    expect([textColorOn('#ffffff'), textColorOn('#111111'), textColorOn('#fcd34d')]).toEqual([
      '#000000',
      '#ffffff',
      '#000000',
    ]);
  });
});
