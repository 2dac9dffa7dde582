import { describe, expect, it } from 'vitest';
import { contrastRatio } from '@/ui/contrast';
import { PRESETS, withFollowers } from './presets';

describe('presets', () => {
  it('are read easily on the ground of their theme', () => {
    for (const { light, dark } of Object.values(PRESETS)) {
      for (const color of [light.primary, light.icons]) expect(contrastRatio(color, '#ffffff')).toBeGreaterThan(4.5);
      for (const color of [dark.primary, dark.icons]) expect(contrastRatio(color, '#111827')).toBeGreaterThan(4.5);
      for (const color of [light.header_left, light.header_right, dark.header_left, dark.header_right]) {
        expect(contrastRatio(color, '#ffffff')).toBeGreaterThan(4.5);
      }
    }
  });

  it('set their colours, and a colour by hand makes the theme its own', () => {
    const all = withFollowers('theme_preset', 'ocean');
    expect(all).toContainEqual(['colors.dark.primary', '#7dd3fc']);
    expect(all).toHaveLength(9);
    expect(withFollowers('theme_preset', 'custom')).toEqual([['theme_preset', 'custom']]);
    expect(withFollowers('colors.light.info', '#000000')).toContainEqual(['theme_preset', 'custom']);
    expect(withFollowers('panel_name', 'Shop')).toEqual([['panel_name', 'Shop']]);
  });
});
