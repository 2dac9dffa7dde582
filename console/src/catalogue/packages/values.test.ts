import { describe, expect, it } from 'vitest';
import { bodyOf, costInputOf, NEW_PACKAGE } from './values';

const content = { id: 7, name: 'Likes', quantity: '1000', price: '', is_displayable: true };

describe('the form values of a package', () => {
  it('sends percentages as fractions, and omits an empty price', () => {
    const values = {
      ...NEW_PACKAGE,
      package_contents: JSON.stringify([content, { ...content, id: 8, price: '2,5', quantity: 'many' }]),
      discount_fraction: '12,5',
    };
    expect(costInputOf(values)).toEqual({
      package_contents: [
        { id: 7, quantity: 1000, is_displayable: true },
        { id: 8, quantity: 'many', price: '2.5', is_displayable: true },
      ],
      discount_fraction: '0.125',
    });
  });

  it('sends the contents only if they have changed', () => {
    const base = { ...NEW_PACKAGE, updated_at: '2026-01-01', network_id: '3', slug: 'a' };
    const body = bodyOf({ ...base, slug: ' ', fixed_cost: '1 200,5' }, base);
    expect(body).toMatchObject({ network_id: 3, slug: null, fixed_cost: '1200.5', updated_at: '2026-01-01' });
    expect('package_contents' in body).toBe(false);
    expect(bodyOf({ ...base, package_contents: '[]' }, { ...base, package_contents: '' })).toMatchObject({
      package_contents: [],
    });
  });
});
