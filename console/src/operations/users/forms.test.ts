import { expect, it } from 'vitest';
import { PROFILE_FORM } from './forms';

const base = { updated_at: 'then', referral_program_fraction: '5', vat: 'DE1', name: 'Anna' };

it('sends a percentage as a fraction, and a cleared field as null', () => {
  const toPatch = (changes: object) => PROFILE_FORM.toPatch({ ...base, ...changes }, base);
  expect(toPatch({})).toEqual({ updated_at: 'then' });
  expect(toPatch({ referral_program_fraction: '7' })).toEqual({
    updated_at: 'then',
    referral_program_fraction: '0.07',
  });
  expect(toPatch({ referral_program_fraction: ' ', vat: '' })).toEqual({
    updated_at: 'then',
    referral_program_fraction: null,
    vat: null,
  });
});
