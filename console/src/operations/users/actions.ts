// What can be done to users, as data: the status of one or many, and several fields of many at once.
import { api, type Schemas, told } from '@/api/client';
import type { Action, How, Input } from '@/table/action';
import { eachOf } from '@/table/each';
import { BulkForm } from './BulkForm';

type Row = Schemas['UserRow'];
type Status = Schemas['UserStatus'];

/** One call that changes many; only what is set is sent. */
function change(ids: readonly number[], input: Input, { dryRun, key, signal }: How) {
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return told(
    api.POST('/api/v1/admin/users/bulk-actions', {
      params: { query: dryRun ? { dry_run: '1' } : {} },
      body: { ...(set as Schemas['BulkUsersInput']), user_ids: [...ids] },
      headers: { 'Idempotency-Key': key },
      ...(signal ? { signal } : {}),
    }),
  );
}

function status(verb: 'freeze' | 'deactivate' | 'activate', to: Status, icon: string): Action<Row> {
  return {
    name: `${verb}User`,
    icon,
    allows: (row) =>
      ({ freeze: row.actions.freezable, deactivate: row.actions.deactivable, activate: row.actions.activable })[verb],
    one: (id, _, { key }) =>
      told(
        api.POST(`/api/v1/admin/users/{id}/${verb}`, {
          params: { path: { id } },
          headers: { 'Idempotency-Key': key },
        }),
      ),
    many: (ids, _, how) => change(ids, { status: to }, how),
  };
}

export const USER_ACTIONS: readonly Action<Row>[] = [
  status('freeze', 'frozen', 'lock'),
  { ...status('deactivate', 'deactivated', 'ban'), tone: 'danger' },
  status('activate', 'active', 'lock-open'),
  {
    name: 'changeUsers',
    icon: 'pencil',
    allows: (row) => row.actions.editable,
    ready: (input) => Object.values(input).some((value) => value !== undefined),
    Form: BulkForm,
    one: (id, input, how) => change([id], input, how),
    many: change,
  },
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
