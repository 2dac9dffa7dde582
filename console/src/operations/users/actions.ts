// What can be done to users, as data: the status of one or many, and several fields of many at once.
import type { Schemas } from '@/api/client';
import { type Action, typed } from '@/table/action';
import { bulkOf } from '@/table/bulk';
import { eachOf } from '@/table/each';
import { BulkForm, type UserChanges } from './BulkForm';

type Row = Schemas['UserRow'];
type Status = Schemas['UserStatus'];

const PATH = '/api/v1/admin/users/bulk-actions';

function status(verb: 'freeze' | 'deactivate' | 'activate', to: Status, icon: string): Action<Row> {
  return {
    name: `${verb}User`,
    icon,
    allows: (row) =>
      ({ freeze: row.actions.freezable, deactivate: row.actions.deactivable, activate: row.actions.activable })[verb],
    ...bulkOf(PATH, 'user_ids', { body: () => ({ status: to }), one: `/api/v1/admin/users/{id}/${verb}` }),
  };
}

export const USER_ACTIONS: readonly Action<Row>[] = [
  status('freeze', 'frozen', 'lock'),
  { ...status('deactivate', 'deactivated', 'ban'), tone: 'danger' },
  status('activate', 'active', 'lock-open'),
  typed<Row, UserChanges>({
    name: 'changeUsers',
    icon: 'pencil',
    allows: (row) => row.actions.editable,
    ready: (input) => Object.keys(input).length > 0,
    Form: BulkForm,
    ...bulkOf(PATH, 'user_ids', { body: (input: UserChanges) => input }),
  }),
];

/** Taking a record that belongs to a customer away. */
function removal<Row>(name: string, calls: Pick<Action<Row>, 'one' | 'many'>): readonly Action<Row>[] {
  return [{ name, icon: 'trash', tone: 'danger', allows: () => true, ...calls }];
}

export const affiliateActions = (id: number) =>
  removal<Schemas['Affiliate']>(
    'removeAffiliate',
    eachOf('DELETE', '/api/v1/admin/users/{id}/affiliates/{affiliate_id}', {
      path: (affiliate_id) => ({ id, affiliate_id }),
    }),
  );

export const priceActions = (id: number) =>
  removal<Schemas['UserService']>(
    'removePrice',
    eachOf('DELETE', '/api/v1/admin/users/{id}/user-services/{user_service_id}', {
      path: (user_service_id) => ({ id, user_service_id }),
    }),
  );
