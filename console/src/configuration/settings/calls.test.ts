import { describe, expect, it } from 'vitest';
import { at, clashesOf, matches, withChange, without } from './calls';

const tree = { panel_name: 'Shop', colors: { dark: { primary: '#ffffff' } }, meta_tags: [] };

describe('settings', () => {
  it('stand at their places', () => {
    expect(at(tree, 'colors.dark.primary')).toBe('#ffffff');
    expect(at(tree, 'colors.light.primary')).toBeUndefined();
  });

  it('are changed only when they differ', () => {
    const once = withChange({}, tree, 'panel_name', 'New');
    expect(once).toEqual({ panel_name: 'New' });
    expect(withChange(once, tree, 'panel_name', 'Shop')).toEqual({});
    expect(withChange({}, tree, 'meta_tags', [])).toEqual({});
  });

  it('are found by words and by place', () => {
    expect(matches('margin min', 'min_margin_percent', 'Minimum margin')).toBe(true);
    expect(matches('logo dark', 'light_logo', 'Logo on light background')).toBe(false);
  });

  it('clash where both changed the same to something else', () => {
    const newer = { ...tree, panel_name: 'Theirs', meta_tags: [1] };
    expect(clashesOf({ panel_name: 'Mine', colors: null }, tree, newer)).toEqual({ panel_name: 'Theirs' });
    expect(clashesOf({ panel_name: 'Theirs' }, tree, newer)).toEqual({});
    expect(without({ panel_name: 'Theirs', other: 1 }, (key) => at(newer, key))).toEqual({ other: 1 });
  });
});
