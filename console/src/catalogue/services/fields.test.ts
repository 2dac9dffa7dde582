import { describe, expect, it } from 'vitest';
import { buildServiceBody, NEW_SERVICE_VALUES } from './fields';

it('sends a switch of a new service if the user has turned it off and it is on by default', () => {
  const body = buildServiceBody(null, { ...NEW_SERVICE_VALUES, is_enabled: '' });
  expect(body).toMatchObject({ is_enabled: false, api_access: true, restricted_access: false, pricing_per: 1000 });
});

describe('buildServiceBody', () => {
  it('returns only the changed fields, in the format of the API', () => {
    const base = {
      ...NEW_SERVICE_VALUES,
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
    expect(buildServiceBody(base, values)).toEqual({
      default_price: '3.1',
      auto_refill_once_fill_fraction: '0.125',
      labels: [1, 2],
      slug: null,
      is_enabled: false,
      max_quantity: 500,
    });
    expect(buildServiceBody(base, base)).toEqual({});
  });

  it('returns the texts of all languages if the user has changed one of them', () => {
    const base = { translations: '{"en":{"name":"Likes"},"de":{"name":"Gefällt mir"}}' };
    const values = { translations: '{"en":{"name":"Hearts"},"de":{"name":"Gefällt mir"}}' };
    expect(buildServiceBody(base, values)).toEqual({
      translations: { en: { name: 'Hearts' }, de: { name: 'Gefällt mir' } },
    });
  });

  it('returns the attachment type and the values of each target', () => {
    const values = {
      targets: '[{"id":4,"name":"Geo","kind":"fixed","values":["DE"]}]',
      promotable_checker_group_id: '',
    };
    expect(buildServiceBody({ targets: '[]', promotable_checker_group_id: '7' }, values)).toEqual({
      targets: [4],
      targetable_values: [{ target_id: 4, values: ['DE'] }],
      target_attachments: [{ target_id: 4, type: 'fixed' }],
      promotable_checker_group_id: null,
    });
  });

  it('returns input that is not a number unchanged, so that the server reports the field', () => {
    expect(buildServiceBody({}, { min_quantity: 'ten' })).toEqual({ min_quantity: 'ten' });
    expect(buildServiceBody(null, { min_quantity: 'ten' })).toMatchObject({ min_quantity: 'ten' });
    expect(buildServiceBody({ min_quantity: '10' }, { min_quantity: '' })).toEqual({ min_quantity: undefined });
  });
});
