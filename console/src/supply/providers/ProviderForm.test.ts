import { expect, it } from 'vitest';
import { selectableStatuses } from './ProviderForm';

const actions = { editable: true, archivable: true, restore: false };

it('offers the current status and those that the server allows', () => {
  expect(selectableStatuses({ status: 'active', actions: { ...actions, enable: false, disable: true } })).toEqual([
    'active',
    'disabled',
  ]);
  expect(selectableStatuses({ status: 'error', actions: { ...actions, enable: true, disable: true } })).toEqual([
    'active',
    'disabled',
    'error',
  ]);
});

it('offers no status if the server allows no change', () => {
  expect(selectableStatuses({ status: 'archived', actions: { ...actions, enable: false, disable: false } })).toEqual(
    [],
  );
});
