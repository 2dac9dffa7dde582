import { expect, it } from 'vitest';
import { ACCOUNT_MANAGER_FORM } from './forms';

const BASE = { seller_id: '7', seller_status: 'new', contact_step: '' };

it('sends only the changed fields', () => {
  expect(ACCOUNT_MANAGER_FORM.toPatch(BASE, BASE)).toEqual({});
  expect(ACCOUNT_MANAGER_FORM.toPatch({ ...BASE, contact_step: 'call' }, BASE)).toEqual({ contact_step: 'call' });
  expect(ACCOUNT_MANAGER_FORM.toPatch({ ...BASE, seller_id: '', seller_status: 'paid' }, BASE)).toEqual({
    seller_id: null,
    seller_status: 'paid',
  });
});
