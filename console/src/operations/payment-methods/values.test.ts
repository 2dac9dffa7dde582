import { expect, test } from 'vitest';
import { bodyOf, secretGap, valuesOf } from './values';

test('only what was changed is sent, groups as a whole', () => {
  const was = valuesOf(null);
  expect(bodyOf(was, was)).toEqual({});
  const now = {
    ...was,
    translations: '{"en":{"name":"Card"}}',
    fee_percent: '2,5',
    max_amount: '1 000.50',
    'withdrawal_options.available_for_withdrawal': 'yes',
    'withdrawal_options.min_amount': '10',
  };
  expect(bodyOf(was, now)).toEqual({
    translations: { en: { name: 'Card' } },
    fee_percent: '0.025',
    max_amount: '1000.50',
    withdrawal_options: {
      available_for_withdrawal: true,
      min_amount: '10',
      max_amount: null,
      min_fee: '0',
      fee_percent: '0',
    },
  });
});

test('a new method that new customers may not use says so', () => {
  const sent = bodyOf(null, { ...valuesOf(null), is_allowed_for_new_user: '' });
  expect(sent).toMatchObject({ is_allowed_for_new_user: false, type: 'card' });
});

test('a new secret has a name and a value', () => {
  expect(secretGap({})).toBeNull();
  expect(secretGap({ 'secret-name': 'iv', 'secret-value': 'hush' })).toBeNull();
  expect(secretGap({ 'secret-name': ' ', 'secret-value': 'hush' })).toBe('secret-name');
  expect(secretGap({ 'secret-name': 'iv', 'secret-value': '' })).toBe('secret-value');
});

test('an image that goes is null; secrets are set, left and forgotten', () => {
  const was = { icon: '/uploads/a.png' };
  const now = {
    icon: '',
    'secret.api_key': '',
    'secret.iv': 'new',
    'secret-gone.old': 'yes',
    'secret-name': ' webhook ',
    'secret-value': 'hush',
  };
  expect(bodyOf(was, now)).toEqual({
    icon: null,
    secrets: { iv: 'new', webhook: 'hush' },
    remove_secrets: ['old'],
  });
});
