import { expect, it } from 'vitest';
import { PROFILE } from './forms';

const was = { updated_at: 'then', referral_program_percent: '5', vat: 'DE1', name: 'Anna' };

it('sends a share as a fraction of two decimals, and an emptied field as null', () => {
  const sent = (now: object) => PROFILE.changesOf({ ...was, ...now }, was);
  expect(sent({})).toEqual({ updated_at: 'then' });
  expect(sent({ referral_program_percent: '7' })).toEqual({ updated_at: 'then', referral_program_percent: '0.07' });
  expect(sent({ referral_program_percent: ' ', vat: '' })).toEqual({
    updated_at: 'then',
    referral_program_percent: null,
    vat: null,
  });
});
