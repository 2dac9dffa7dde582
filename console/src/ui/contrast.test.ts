import { describe, expect, it } from 'vitest';
import { contrast, grade, inkOn } from './contrast';

describe('contrast', () => {
  it('is what WCAG says', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#ffffff', '#ffffff')).toBe(1);
    expect(contrast('#7c3aed', '#FFFFFF')).toBeCloseTo(5.7, 1);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('is nothing of what is no colour', () => {
    for (const odd of ['', 'red', '#12345', '#12345g']) expect(contrast(odd, '#ffffff')).toBeNull();
  });

  it('is enough for text, for large text, or for nothing', () => {
    expect([21, 4.5, 4.49, 3, 2.99].map(grade)).toEqual(['text', 'text', 'large', 'large', 'none']);
  });

  it('finds the ink of a ground', () => {
    expect([inkOn('#ffffff'), inkOn('#111111'), inkOn('#fcd34d')]).toEqual(['#000000', '#ffffff', '#000000']);
  });
});
