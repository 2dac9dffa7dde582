import { describe, expect, it } from 'vitest';
import { applyChange, findConflicts, getValue, matchesSearch, removeEqualValues } from './calls';

const SAVED = { panel_name: 'Shop', colors: { dark: { primary: '#ffffff' } }, meta_tags: [] };

describe('settings', () => {
  it('are read by their dotted keys', () => {
    expect(getValue(SAVED, 'colors.dark.primary')).toBe('#ffffff');
    expect(getValue(SAVED, 'colors.light.primary')).toBeUndefined();
  });

  it('count as changed only while they differ from the saved value', () => {
    const changes = applyChange({}, SAVED, 'panel_name', 'New');
    expect(changes).toEqual({ panel_name: 'New' });
    expect(applyChange(changes, SAVED, 'panel_name', 'Shop')).toEqual({});
    expect(applyChange({}, SAVED, 'meta_tags', [])).toEqual({});
  });

  it('match a search by label and by key', () => {
    expect(matchesSearch('margin min', 'min_margin_fraction', 'Minimum margin')).toBe(true);
    expect(matchesSearch('logo dark', 'light_logo', 'Logo on light background')).toBe(false);
  });

  it('conflict when two users save different values', () => {
    const currentSettings = { ...SAVED, panel_name: 'Theirs', meta_tags: [1] };
    expect(findConflicts({ panel_name: 'Mine', colors: null }, SAVED, currentSettings)).toEqual({
      panel_name: 'Theirs',
    });
    expect(findConflicts({ panel_name: 'Theirs' }, SAVED, currentSettings)).toEqual({});
    const changes = { panel_name: 'Theirs', other: 1 };
    expect(removeEqualValues(changes, (key) => getValue(currentSettings, key))).toEqual({ other: 1 });
  });
});
