import { describe, expect, it } from 'vitest';
import { bodyOf, dealOf, NEW } from './values';

const part = { id: 7, name: 'Likes', quantity: '1000', price: '', is_displayable: true };

describe('a package as a form', () => {
  it('sends shares as fractions and an empty price as the own one', () => {
    const values = {
      ...NEW,
      package_contents: JSON.stringify([part, { ...part, id: 8, price: '2,5', quantity: 'many' }]),
      discount_percent: '12,5',
    };
    expect(dealOf(values)).toEqual({
      package_contents: [
        { id: 7, quantity: 1000, is_displayable: true },
        { id: 8, quantity: 'many', price: '2.5', is_displayable: true },
      ],
      discount_percent: '0.125',
    });
  });

  it('names contents only where they changed', () => {
    const was = { ...NEW, updated_at: 'then', network_id: '3', slug: 'a' };
    const body = bodyOf({ ...was, slug: ' ', fixed_cost: '1 200,5' }, was);
    expect(body).toMatchObject({ network_id: 3, slug: null, fixed_cost: '1200.5', updated_at: 'then' });
    expect('package_contents' in body).toBe(false);
    expect(bodyOf({ ...was, package_contents: '[]x'.slice(0, 2) }, { ...was, package_contents: '' })).toMatchObject({
      package_contents: [],
    });
  });
});
