// The actions on users, declared as data: a new status for one or many users, and a bulk change of fields.
import type { Schemas } from '@/api/client';
import { type Action, eraseInputType } from '@/table/action';
import { bulkCalls } from '@/table/bulkCalls';
import { perRecordCalls } from '@/table/perRecordCalls';
import { BulkForm, type BulkUserChanges } from './BulkForm';

type UserRow = Schemas['UserRow'];
type UserStatus = Schemas['UserStatus'];

const BULK_PATH = '/api/v1/admin/users/bulk-actions';

function createStatusAction(
  operation: 'freeze' | 'deactivate' | 'activate',
  status: UserStatus,
  icon: string,
): Action<UserRow> {
  return {
    name: `${operation}User`,
    icon,
    allows: (row) =>
      ({ freeze: row.actions.freezable, deactivate: row.actions.deactivable, activate: row.actions.activable })[
        operation
      ],
    ...bulkCalls(BULK_PATH, 'user_ids', {
      body: () => ({ status }),
      singlePath: `/api/v1/admin/users/{id}/${operation}`,
    }),
  };
}

export const USER_ACTIONS: readonly Action<UserRow>[] = [
  createStatusAction('freeze', 'frozen', 'lock'),
  { ...createStatusAction('deactivate', 'deactivated', 'ban'), tone: 'danger' },
  createStatusAction('activate', 'active', 'lock-open'),
  eraseInputType<UserRow, BulkUserChanges>({
    name: 'changeUsers',
    icon: 'pencil',
    allows: (row) => row.actions.editable,
    isReady: (input) => Object.keys(input).length > 0,
    Form: BulkForm,
    ...bulkCalls(BULK_PATH, 'user_ids', { body: (input: BulkUserChanges) => input }),
  }),
];

/** The action that deletes a record that belongs to a customer, such as a custom price. */
function createRemoveAction<Row>(name: string, calls: Pick<Action<Row>, 'runSingle' | 'runBulk'>): Action<Row> {
  return { name, icon: 'trash', tone: 'danger', allows: () => true, ...calls };
}

export const createRemoveAffiliateAction = (userId: number) =>
  createRemoveAction<Schemas['Affiliate']>(
    'removeAffiliate',
    perRecordCalls('DELETE', '/api/v1/admin/users/{id}/affiliates/{affiliate_id}', {
      pathParameters: (affiliate_id) => ({ id: userId, affiliate_id }),
    }),
  );

export const createRemovePriceAction = (userId: number) =>
  createRemoveAction<Schemas['UserService']>(
    'removePrice',
    perRecordCalls('DELETE', '/api/v1/admin/users/{id}/user-services/{user_service_id}', {
      pathParameters: (user_service_id) => ({ id: userId, user_service_id }),
    }),
  );
