import { expect, it } from 'vitest';
import { getSelectableStatuses } from './ProviderForm';

const actions = { editable: true, archivable: true, restore: false };

it('offers the current status and the statuses that the server allows', () => {
  expect(getSelectableStatuses({ status: 'active', actions: { ...actions, enable: false, disable: true } })).toEqual([
    'active',
    'disabled',
  ]);
  expect(getSelectableStatuses({ status: 'error', actions: { ...actions, enable: true, disable: true } })).toEqual([
    'active',
    'disabled',
    'error',
  ]);
});

it('offers no status if the server does not allow a change', () => {
  expect(getSelectableStatuses({ status: 'archived', actions: { ...actions, enable: false, disable: false } })).toEqual(
    [],
  );
});
