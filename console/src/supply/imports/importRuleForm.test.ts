import { describe, expect, it } from 'vitest';
import { IMPORT_RULE_FORM, type ImportRule } from './importRuleForm';

const DISABLED_RULE: ImportRule = {
  external_panel_id: 3,
  is_enabled: false,
  keep_categories: false,
  categories: [],
  types: [],
};

describe('the form of an import rule', () => {
  it('sends a disabled rule without values if the server stores no rule', () => {
    expect(IMPORT_RULE_FORM.toBody(IMPORT_RULE_FORM.toValues(DISABLED_RULE))).toEqual({
      is_enabled: false,
      keep_categories: false,
      categories: [],
      types: [],
    });
  });

  it('sends an unchanged rule as the server returned it', () => {
    const rule: ImportRule = {
      ...DISABLED_RULE,
      is_enabled: true,
      keep_categories: true,
      margin_fraction: '0.125',
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
    const { external_panel_id, ...expectedBody } = rule;
    const values = IMPORT_RULE_FORM.toValues(rule);
    expect(IMPORT_RULE_FORM.toBody(values, values)).toEqual(expectedBody);
    expect(external_panel_id).toBe(3);
  });

  it('normalizes the numbers and texts that the user types', () => {
    const values = {
      ...IMPORT_RULE_FORM.toValues(DISABLED_RULE),
      margin_fraction: '12,5',
      price_to: '1 000,5',
      categories: ' A \n\n B',
      name_excludes: ' ',
    };
    expect(IMPORT_RULE_FORM.toBody(values)).toMatchObject({
      margin_fraction: '0.125',
      price_to: '1000.5',
      categories: ['A', 'B'],
    });
    expect(IMPORT_RULE_FORM.toBody(values)).not.toHaveProperty('name_excludes');
  });
});
