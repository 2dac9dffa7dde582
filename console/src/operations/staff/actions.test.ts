import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ROLE_ACTIONS } from './actions';

const allowedActions = (role: Partial<Schemas['Role']>) =>
  ROLE_ACTIONS.filter((action) => action.allows(role as Schemas['Role'])).map(({ name }) => name);

it('offers to delete the roles that the server marks as deletable', () => {
  expect(allowedActions({ deletable: true })).toEqual(['deleteRole']);
  // The server decides, whatever the number of members is.
  expect(allowedActions({ deletable: false, editable: true, users_count: 0 })).toEqual([]);
});
