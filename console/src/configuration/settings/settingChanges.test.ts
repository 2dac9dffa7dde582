import { describe, expect, it } from 'vitest';
import { applyChange, findConflicts, getSettingValue, matchesSearch, removeEqualValues } from './settingChanges';

const SAVED = { panel_name: 'Shop', colors: { dark: { primary: '#ffffff' } }, meta_tags: [] };

describe('changes of settings', () => {
  it('returns a value by its dotted key', () => {
    expect(getSettingValue(SAVED, 'colors.dark.primary')).toBe('#ffffff');
    expect(getSettingValue(SAVED, 'colors.light.primary')).toBeUndefined();
  });

  it('treats a setting as changed only while its value differs from the saved value', () => {
    const changes = applyChange({}, SAVED, 'panel_name', 'New');
    expect(changes).toEqual({ panel_name: 'New' });
    expect(applyChange(changes, SAVED, 'panel_name', 'Shop')).toEqual({});
    expect(applyChange({}, SAVED, 'meta_tags', [])).toEqual({});
  });

  it('finds settings by label and by key', () => {
    expect(matchesSearch('margin min', 'min_margin_fraction', 'Minimum margin')).toBe(true);
    expect(matchesSearch('logo dark', 'light_logo', 'Logo on light background')).toBe(false);
  });

  it('finds conflicts if two users save different values', () => {
    const currentSettings = { ...SAVED, panel_name: 'Theirs', meta_tags: [1] };
    expect(findConflicts({ panel_name: 'Mine', colors: null }, SAVED, currentSettings)).toEqual({
      panel_name: 'Theirs',
    });
    expect(findConflicts({ panel_name: 'Theirs' }, SAVED, currentSettings)).toEqual({});
    const changes = { panel_name: 'Theirs', other: 1 };
    expect(removeEqualValues(changes, (key) => getSettingValue(currentSettings, key))).toEqual({ other: 1 });
  });
});
