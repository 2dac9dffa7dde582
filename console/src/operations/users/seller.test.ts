import { expect, it } from 'vitest';
import { SELLER } from './forms';

const WAS = { seller_id: '7', seller_status: 'new', contact_step: '' };

it('sends what differs and nothing else', () => {
  expect(SELLER.changesOf(WAS, WAS)).toEqual({});
  expect(SELLER.changesOf({ ...WAS, contact_step: 'call' }, WAS)).toEqual({ contact_step: 'call' });
  expect(SELLER.changesOf({ ...WAS, seller_id: '', seller_status: 'paid' }, WAS)).toEqual({
    seller_id: null,
    seller_status: 'paid',
  });
});
