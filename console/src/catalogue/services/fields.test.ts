import { describe, expect, it } from 'vitest';
import { bodyOf, NEW_SERVICE } from './fields';

it('sends the switches of a new service that are on by default and that the user has turned off', () => {
  const body = bodyOf(null, { ...NEW_SERVICE, is_enabled: '' });
  expect(body).toMatchObject({ is_enabled: false, api_access: true, restricted_access: false, pricing_per: 1000 });
});

describe('bodyOf', () => {
  it('contains only the changed fields, in the format of the API', () => {
    const base = {
      ...NEW_SERVICE,
      default_price: '2.5',
      auto_refill_once_fill_fraction: '',
      labels: '1',
      slug: 'likes',
    };
    const values = {
      ...base,
      default_price: '3,1',
      auto_refill_once_fill_fraction: '12.5',
      labels: '1,2',
      slug: ' ',
      is_enabled: '',
      max_quantity: '500',
    };
    expect(bodyOf(base, values)).toEqual({
      default_price: '3.1',
      auto_refill_once_fill_fraction: '0.125',
      labels: [1, 2],
      slug: null,
      is_enabled: false,
      max_quantity: 500,
    });
    expect(bodyOf(base, base)).toEqual({});
  });

  it('sends the texts of all languages if one of them has changed', () => {
    const base = { translations: '{"en":{"name":"Likes"},"de":{"name":"Gefällt mir"}}' };
    const values = { translations: '{"en":{"name":"Hearts"},"de":{"name":"Gefällt mir"}}' };
    expect(bodyOf(base, values)).toEqual({ translations: { en: { name: 'Hearts' }, de: { name: 'Gefällt mir' } } });
  });

  it('contains the attachment type and the values of each target', () => {
    const values = {
      targets: '[{"id":4,"name":"Geo","kind":"fixed","values":["DE"]}]',
      promotable_checker_group_id: '',
    };
    expect(bodyOf({ targets: '[]', promotable_checker_group_id: '7' }, values)).toEqual({
      targets: [4],
      targetable_values: [{ target_id: 4, values: ['DE'] }],
      target_attachments: [{ target_id: 4, type: 'fixed' }],
      promotable_checker_group_id: null,
    });
  });

  it('sends a text that is not a number unchanged, so that the server reports the field', () => {
    expect(bodyOf({}, { min_quantity: 'ten' })).toEqual({ min_quantity: 'ten' });
    expect(bodyOf(null, { min_quantity: 'ten' })).toMatchObject({ min_quantity: 'ten' });
    expect(bodyOf({ min_quantity: '10' }, { min_quantity: '' })).toEqual({ min_quantity: undefined });
  });
});
