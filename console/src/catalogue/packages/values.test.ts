import { describe, expect, it } from 'vitest';
import { bodyOf, costInputOf, NEW_PACKAGE } from './values';

const content = { id: 7, name: 'Likes', quantity: '1000', price: '', is_displayable: true };

describe('the form values of a package', () => {
  it('sends percentages as fractions, and no price for an empty price', () => {
    const values = {
      ...NEW_PACKAGE,
      package_contents: JSON.stringify([content, { ...content, id: 8, price: '2,5', quantity: 'many' }]),
      discount_percent: '12,5',
    };
    expect(costInputOf(values)).toEqual({
      package_contents: [
        { id: 7, quantity: 1000, is_displayable: true },
        { id: 8, quantity: 'many', price: '2.5', is_displayable: true },
      ],
      discount_percent: '0.125',
    });
  });

  it('sends contents only when they changed', () => {
    const before = { ...NEW_PACKAGE, updated_at: 'then', network_id: '3', slug: 'a' };
    const body = bodyOf({ ...before, slug: ' ', fixed_cost: '1 200,5' }, before);
    expect(body).toMatchObject({ network_id: 3, slug: null, fixed_cost: '1200.5', updated_at: 'then' });
    expect('package_contents' in body).toBe(false);
    expect(
      bodyOf({ ...before, package_contents: '[]x'.slice(0, 2) }, { ...before, package_contents: '' }),
    ).toMatchObject({
      package_contents: [],
    });
  });
});
