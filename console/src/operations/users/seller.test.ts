import { expect, it } from 'vitest';
import { SELLER } from './forms';

const BEFORE = { seller_id: '7', seller_status: 'new', contact_step: '' };

it('sends only the changed fields', () => {
  expect(SELLER.toPatch(BEFORE, BEFORE)).toEqual({});
  expect(SELLER.toPatch({ ...BEFORE, contact_step: 'call' }, BEFORE)).toEqual({ contact_step: 'call' });
  expect(SELLER.toPatch({ ...BEFORE, seller_id: '', seller_status: 'paid' }, BEFORE)).toEqual({
    seller_id: null,
    seller_status: 'paid',
  });
});
