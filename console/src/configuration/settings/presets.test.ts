import { describe, expect, it } from 'vitest';
import { computeContrastRatio } from '@/ui/contrast';
import { addDependentChanges, COLOR_PRESETS } from './presets';

describe('color presets', () => {
  it('have colors that are readable on the background of their theme', () => {
    for (const { light, dark } of Object.values(COLOR_PRESETS)) {
      for (const color of [light.primary, light.icons])
        expect(computeContrastRatio(color, '#ffffff')).toBeGreaterThan(4.5);
      for (const color of [dark.primary, dark.icons])
        expect(computeContrastRatio(color, '#111827')).toBeGreaterThan(4.5);
      for (const color of [light.header_left, light.header_right, dark.header_left, dark.header_right]) {
        expect(computeContrastRatio(color, '#ffffff')).toBeGreaterThan(4.5);
      }
    }
  });

  it('change all colors, and a color change selects the custom preset', () => {
    const changes = addDependentChanges('theme_preset', 'ocean');
    expect(changes).toContainEqual(['colors.dark.primary', '#7dd3fc']);
    expect(changes).toHaveLength(9);
    expect(addDependentChanges('theme_preset', 'custom')).toEqual([['theme_preset', 'custom']]);
    expect(addDependentChanges('colors.light.info', '#000000')).toContainEqual(['theme_preset', 'custom']);
    expect(addDependentChanges('panel_name', 'Shop')).toEqual([['panel_name', 'Shop']]);
  });
});
