import { expect, it } from 'vitest';
import { sellerChange } from './seller';

const WAS = { seller_id: '7', seller_status: 'new', contact_step: '' };

it('sends what differs and nothing else', () => {
  expect(sellerChange(WAS, WAS)).toEqual({});
  expect(sellerChange(WAS, { ...WAS, contact_step: 'call' })).toEqual({ contact_step: 'call' });
  expect(sellerChange(WAS, { ...WAS, seller_id: '', seller_status: 'paid' })).toEqual({
    seller_id: null,
    seller_status: 'paid',
  });
});
