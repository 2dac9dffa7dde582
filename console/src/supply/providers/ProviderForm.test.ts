import { expect, it } from 'vitest';
import { statusesOf } from './ProviderForm';

const allowed = { editable: true, archivable: true, restore: false };

it('offers the status that a provider has and those that the server lets it be given', () => {
  expect(statusesOf({ status: 'active', actions: { ...allowed, enable: false, disable: true } })).toEqual([
    'active',
    'disabled',
  ]);
  expect(statusesOf({ status: 'error', actions: { ...allowed, enable: true, disable: true } })).toEqual([
    'active',
    'disabled',
    'error',
  ]);
});

it('offers no status where the server lets it be given none', () => {
  expect(statusesOf({ status: 'archived', actions: { ...allowed, enable: false, disable: false } })).toEqual([]);
});
