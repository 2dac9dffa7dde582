import { expect, test } from 'vitest';
import { buildMethodBody, findMissingSecretField, toFormValues } from './methodFormValues';

test('sends only changed fields, and changed groups as a whole', () => {
  const base = toFormValues(null);
  expect(buildMethodBody(base, base)).toEqual({});
  const values = {
    ...base,
    translations: '{"en":{"name":"Card"}}',
    fee_fraction: '2,5',
    max_amount: '1 000.50',
    'withdrawal_options.available_for_withdrawal': 'yes',
    'withdrawal_options.min_amount': '10',
  };
  expect(buildMethodBody(base, values)).toEqual({
    translations: { en: { name: 'Card' } },
    fee_fraction: '0.025',
    max_amount: '1000.50',
    withdrawal_options: {
      available_for_withdrawal: true,
      min_amount: '10',
      max_amount: null,
      min_fee: '0',
      fee_fraction: '0',
    },
  });
});

test('sends an unchecked availability for new customers of a new method', () => {
  const body = buildMethodBody(null, { ...toFormValues(null), is_allowed_for_new_user: '' });
  expect(body).toMatchObject({ is_allowed_for_new_user: false, type: 'card' });
});

test('a new secret needs a name and a value', () => {
  expect(findMissingSecretField({})).toBeNull();
  expect(findMissingSecretField({ 'secret-name': 'iv', 'secret-value': 'hush' })).toBeNull();
  expect(findMissingSecretField({ 'secret-name': ' ', 'secret-value': 'hush' })).toBe('secret-name');
  expect(findMissingSecretField({ 'secret-name': 'iv', 'secret-value': '' })).toBe('secret-value');
});

test('sends null for a removed image, new secrets, and the names of removed secrets', () => {
  const base = { icon: '/uploads/a.png' };
  const values = {
    icon: '',
    'secret.api_key': '',
    'secret.iv': 'new',
    'remove-secret.old': 'yes',
    'secret-name': ' webhook ',
    'secret-value': 'hush',
  };
  expect(buildMethodBody(base, values)).toEqual({
    icon: null,
    secrets: { iv: 'new', webhook: 'hush' },
    remove_secrets: ['old'],
  });
});
