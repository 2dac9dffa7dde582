// The actions on users, declared as data: a new status for one or many users, and a bulk change of fields.
import type { Schemas } from '@/api/client';
import { type Action, withInputErased } from '@/table/action';
import { bulkCalls } from '@/table/bulkCalls';
import { perRecordCalls } from '@/table/perRecordCalls';
import { BulkForm, type BulkUserChanges } from './BulkForm';

type UserRow = Schemas['UserRow'];
type Status = Schemas['UserStatus'];

const PATH = '/api/v1/admin/users/bulk-actions';

function statusAction(verb: 'freeze' | 'deactivate' | 'activate', status: Status, icon: string): Action<UserRow> {
  return {
    name: `${verb}User`,
    icon,
    allows: (row) =>
      ({ freeze: row.actions.freezable, deactivate: row.actions.deactivable, activate: row.actions.activable })[verb],
    ...bulkCalls(PATH, 'user_ids', { body: () => ({ status }), one: `/api/v1/admin/users/{id}/${verb}` }),
  };
}

export const USER_ACTIONS: readonly Action<UserRow>[] = [
  statusAction('freeze', 'frozen', 'lock'),
  { ...statusAction('deactivate', 'deactivated', 'ban'), tone: 'danger' },
  statusAction('activate', 'active', 'lock-open'),
  withInputErased<UserRow, BulkUserChanges>({
    name: 'changeUsers',
    icon: 'pencil',
    allows: (row) => row.actions.editable,
    isReady: (input) => Object.keys(input).length > 0,
    Form: BulkForm,
    ...bulkCalls(PATH, 'user_ids', { body: (input: BulkUserChanges) => input }),
  }),
];

/** The action that deletes a record of a customer. */
function removeAction<Row>(name: string, calls: Pick<Action<Row>, 'one' | 'many'>): readonly Action<Row>[] {
  return [{ name, icon: 'trash', tone: 'danger', allows: () => true, ...calls }];
}

export const affiliateActions = (id: number) =>
  removeAction<Schemas['Affiliate']>(
    'removeAffiliate',
    perRecordCalls('DELETE', '/api/v1/admin/users/{id}/affiliates/{affiliate_id}', {
      path: (affiliate_id) => ({ id, affiliate_id }),
    }),
  );

export const priceActions = (id: number) =>
  removeAction<Schemas['UserService']>(
    'removePrice',
    perRecordCalls('DELETE', '/api/v1/admin/users/{id}/user-services/{user_service_id}', {
      path: (user_service_id) => ({ id, user_service_id }),
    }),
  );
