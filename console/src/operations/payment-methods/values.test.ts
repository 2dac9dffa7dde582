import { expect, test } from 'vitest';
import { bodyOf, missingSecretField, valuesOf } from './values';

test('sends only changed fields, and changed groups as a whole', () => {
  const before = valuesOf(null);
  expect(bodyOf(before, before)).toEqual({});
  const after = {
    ...before,
    translations: '{"en":{"name":"Card"}}',
    fee_percent: '2,5',
    max_amount: '1 000.50',
    'withdrawal_options.available_for_withdrawal': 'yes',
    'withdrawal_options.min_amount': '10',
  };
  expect(bodyOf(before, after)).toEqual({
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

test('sends that new customers may not use a new method', () => {
  const sent = bodyOf(null, { ...valuesOf(null), is_allowed_for_new_user: '' });
  expect(sent).toMatchObject({ is_allowed_for_new_user: false, type: 'card' });
});

test('a new secret needs a name and a value', () => {
  expect(missingSecretField({})).toBeNull();
  expect(missingSecretField({ 'secret-name': 'iv', 'secret-value': 'hush' })).toBeNull();
  expect(missingSecretField({ 'secret-name': ' ', 'secret-value': 'hush' })).toBe('secret-name');
  expect(missingSecretField({ 'secret-name': 'iv', 'secret-value': '' })).toBe('secret-value');
});

test('sends null for a removed image, new secrets, and the names of removed secrets', () => {
  const before = { icon: '/uploads/a.png' };
  const after = {
    icon: '',
    'secret.api_key': '',
    'secret.iv': 'new',
    'secret-gone.old': 'yes',
    'secret-name': ' webhook ',
    'secret-value': 'hush',
  };
  expect(bodyOf(before, after)).toEqual({
    icon: null,
    secrets: { iv: 'new', webhook: 'hush' },
    remove_secrets: ['old'],
  });
});
