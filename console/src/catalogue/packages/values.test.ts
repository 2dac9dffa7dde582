import { describe, expect, it } from 'vitest';
import { buildCostBody, buildPackageBody, NEW_PACKAGE_VALUES } from './values';

const content = { id: 7, name: 'Likes', quantity: '1000', price: '', is_displayable: true };

describe('the request bodies of the package form', () => {
  it('contain percentages as fractions, and omit an empty price', () => {
    const values = {
      ...NEW_PACKAGE_VALUES,
      package_contents: JSON.stringify([content, { ...content, id: 8, price: '2,5', quantity: 'many' }]),
      discount_fraction: '12,5',
    };
    expect(buildCostBody(values)).toEqual({
      package_contents: [
        { id: 7, quantity: 1000, is_displayable: true },
        { id: 8, quantity: 'many', price: '2.5', is_displayable: true },
      ],
      discount_fraction: '0.125',
    });
  });

  it('contain the contents only if the user has changed them', () => {
    const base = { ...NEW_PACKAGE_VALUES, updated_at: '2026-01-01', network_id: '3', slug: 'a' };
    const body = buildPackageBody({ ...base, slug: ' ', fixed_cost: '1 200,5' }, base);
    expect(body).toMatchObject({ network_id: 3, slug: null, fixed_cost: '1200.5', updated_at: '2026-01-01' });
    expect('package_contents' in body).toBe(false);
    expect(buildPackageBody({ ...base, package_contents: '[]' }, { ...base, package_contents: '' })).toMatchObject({
      package_contents: [],
    });
  });
});
