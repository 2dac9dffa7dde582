import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ROLE_ACTIONS } from './actions';

const offered = (role: Partial<Schemas['Role']>) =>
  ROLE_ACTIONS.filter((action) => action.allows(role as Schemas['Role'])).map(({ name }) => name);

it('deletes the roles that the server lets one delete', () => {
  expect(offered({ deletable: true })).toEqual(['deleteRole']);
  // The server decides, whatever the number of its members says.
  expect(offered({ deletable: false, editable: true, users_count: 0 })).toEqual([]);
});
