import { describe, expect, it } from 'vitest';
import { bodyOf, NEW } from './fields';

it('makes a draft: what is on by default and was unticked is sent', () => {
  const draft = bodyOf(null, { ...NEW, is_enabled: '' });
  expect(draft).toMatchObject({ is_enabled: false, api_access: true, restricted_access: false, pricing_per: 1000 });
});

describe('the body of a change', () => {
  it('holds what differs, as the wire has it', () => {
    const was = { ...NEW, default_price: '2.5', auto_refill_once_fill_percent: '', labels: '1', slug: 'likes' };
    const now = {
      ...was,
      default_price: '3,1',
      auto_refill_once_fill_percent: '12.5',
      labels: '1,2',
      slug: ' ',
      is_enabled: '',
      max_quantity: '500',
    };
    expect(bodyOf(was, now)).toEqual({
      default_price: '3.1',
      auto_refill_once_fill_percent: '0.125',
      labels: [1, 2],
      slug: null,
      is_enabled: false,
      max_quantity: 500,
    });
    expect(bodyOf(was, was)).toEqual({});
  });

  it('sends all texts when one of them changed', () => {
    const was = { translations: '{"en":{"name":"Likes"},"de":{"name":"Gefällt mir"}}' };
    const now = { translations: '{"en":{"name":"Hearts"},"de":{"name":"Gefällt mir"}}' };
    expect(bodyOf(was, now)).toEqual({ translations: { en: { name: 'Hearts' }, de: { name: 'Gefällt mir' } } });
  });

  it('says of each target how it hangs and what it holds', () => {
    const now = { targets: '[{"id":4,"name":"Geo","kind":"fixed","values":["DE"]}]', promotable_checker_group_id: '' };
    expect(bodyOf({ targets: '[]', promotable_checker_group_id: '7' }, now)).toEqual({
      targets: [4],
      targetable_values: [{ target_id: 4, values: ['DE'] }],
      target_attachments: [{ target_id: 4, type: 'fixed' }],
      promotable_checker_group_id: null,
    });
  });

  it('leaves what is no number for the server to name', () => {
    expect(bodyOf({}, { min_quantity: 'ten' })).toEqual({ min_quantity: 'ten' });
    expect(bodyOf(null, { min_quantity: 'ten' })).toMatchObject({ min_quantity: 'ten' });
    expect(bodyOf({ min_quantity: '10' }, { min_quantity: '' })).toEqual({ min_quantity: undefined });
  });
});
