import { describe, expect, it } from 'vitest';
import { type ImportRule, RULE } from './rule';

const OFF: ImportRule = {
  external_panel_id: 3,
  is_enabled: false,
  keep_categories: false,
  categories: [],
  types: [],
};

describe('an import rule', () => {
  it('that was never stored is sent as nothing but off', () => {
    expect(RULE.toBody(RULE.toValues(OFF))).toEqual({
      is_enabled: false,
      keep_categories: false,
      categories: [],
      types: [],
    });
  });

  it('comes back as it was read', () => {
    const rule: ImportRule = {
      ...OFF,
      is_enabled: true,
      keep_categories: true,
      margin_percent: '0.125',
      network_id: 2,
      promotable_checker_group_id: 4,
      sync_name: false,
      sync_prices: true,
      categories: ['Instagram likes', 'TikTok, views'],
      types: ['Default', 'Poll'],
      name_contains: 'likes',
      price_from: '0.5',
      updated_at: '2026-11-25 02:00:00.000001',
    };
    const { external_panel_id, ...sent } = rule;
    const values = RULE.toValues(rule);
    expect(RULE.toBody(values, values)).toEqual(sent);
    expect(external_panel_id).toBe(3);
  });

  it('reads what was typed', () => {
    const values = {
      ...RULE.toValues(OFF),
      margin_percent: '12,5',
      price_to: '1 000,5',
      categories: ' A \n\n B',
      name_excludes: ' ',
    };
    expect(RULE.toBody(values)).toMatchObject({ margin_percent: '0.125', price_to: '1000.5', categories: ['A', 'B'] });
    expect(RULE.toBody(values)).not.toHaveProperty('name_excludes');
  });
});
