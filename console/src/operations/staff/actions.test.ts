import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ROLE_ACTIONS } from './actions';

const getAllowedActionNames = (role: Partial<Schemas['Role']>) =>
  ROLE_ACTIONS.filter((action) => action.isAllowedFor(role as Schemas['Role'])).map(({ name }) => name);

it('offers to delete the roles that the server marks as deletable', () => {
  expect(getAllowedActionNames({ deletable: true })).toEqual(['deleteRole']);
  // The console must not decide by the number of members.
  expect(getAllowedActionNames({ deletable: false, editable: true, users_count: 0 })).toEqual([]);
});
