// The actions on customers: a new status for one or several customers, and a change of the same fields of several customers.
import type { Schemas } from '@/api/client';
import { type Action, asUntypedAction } from '@/table/action';
import { createBulkRequests } from '@/table/bulkRequests';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { BulkEditForm, type BulkUserChanges } from './BulkEditForm';

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
    isAllowedFor: (row) =>
      ({ freeze: row.actions.freezable, deactivate: row.actions.deactivable, activate: row.actions.activable })[
        operation
      ],
    ...createBulkRequests(BULK_PATH, 'user_ids', {
      body: () => ({ status }),
      singlePath: `/api/v1/admin/users/{id}/${operation}`,
    }),
  };
}

export const USER_ACTIONS: readonly Action<UserRow>[] = [
  createStatusAction('freeze', 'frozen', 'lock'),
  { ...createStatusAction('deactivate', 'deactivated', 'ban'), tone: 'danger' },
  createStatusAction('activate', 'active', 'lock-open'),
  asUntypedAction<UserRow, BulkUserChanges>({
    name: 'changeUsers',
    icon: 'pencil',
    isAllowedFor: (row) => row.actions.editable,
    isReady: (input) => Object.keys(input).length > 0,
    Form: BulkEditForm,
    ...createBulkRequests(BULK_PATH, 'user_ids', { body: (input: BulkUserChanges) => input }),
  }),
];

/** Creates the action that deletes a record that belongs to a customer, such as a custom price. */
function createRemoveAction<Row>(name: string, requests: Pick<Action<Row>, 'runSingle' | 'runBulk'>): Action<Row> {
  return { name, icon: 'trash', tone: 'danger', isAllowedFor: () => true, ...requests };
}

export const createRemoveAffiliateAction = (userId: number) =>
  createRemoveAction<Schemas['Affiliate']>(
    'removeAffiliate',
    createPerRecordRequests('DELETE', '/api/v1/admin/users/{id}/affiliates/{affiliate_id}', {
      pathParameters: (affiliate_id) => ({ id: userId, affiliate_id }),
    }),
  );

export const createRemovePriceAction = (userId: number) =>
  createRemoveAction<Schemas['UserService']>(
    'removePrice',
    createPerRecordRequests('DELETE', '/api/v1/admin/users/{id}/user-services/{user_service_id}', {
      pathParameters: (user_service_id) => ({ id: userId, user_service_id }),
    }),
  );
