import { expect, it } from 'vitest';
import { PROFILE } from './forms';

const before = { updated_at: 'then', referral_program_percent: '5', vat: 'DE1', name: 'Anna' };

it('sends a percentage as a fraction with two decimals, and an emptied field as null', () => {
  const sent = (changes: object) => PROFILE.toPatch({ ...before, ...changes }, before);
  expect(sent({})).toEqual({ updated_at: 'then' });
  expect(sent({ referral_program_percent: '7' })).toEqual({ updated_at: 'then', referral_program_percent: '0.07' });
  expect(sent({ referral_program_percent: ' ', vat: '' })).toEqual({
    updated_at: 'then',
    referral_program_percent: null,
    vat: null,
  });
});
