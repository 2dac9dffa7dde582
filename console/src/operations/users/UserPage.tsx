// The page of one customer: its actions, and tabs with the records of the customer.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { useHasPermission } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { ManualPaymentDialog } from '../payments/ManualPaymentDialog';
import { RolesAndPermissionsForm } from '../staff/forms';
import { USER_ACTIONS } from './actions';
import { AccountManagerForm, DiscountForm, fetchUser, ProfileForm, useDiscount } from './forms';
import { EraseDialog, ExportDataButton } from './personalData';
import { USER_TABS } from './tabs';

type User = Schemas['User'];

export default function UserPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['users', 'detail', id],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/users', text: t('users.title') }}>
      {(user) => <UserView user={user} tabName={params.tab ?? ''} />}
    </RecordPage>
  );
}

function UserView({ user, tabName }: { user: User; tabName: string }) {
  const hasPermission = useHasPermission();
  const tabs = useMemo(() => USER_TABS.filter((tab) => hasPermission(...tab.permissions)), [hasPermission]);
  const currentTab = tabs.find(({ name }) => name === tabName) ?? tabs[0];
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{user.name}</h1>
        <CopyButton text={String(user.id)} />
        <StatusTag status={user.status} />
      </div>
      <UserActions user={user} />
      <Tabs baseUrl={`/users/${user.id}`} tabs={tabs} currentTab={currentTab?.name ?? ''} />
      {currentTab && <currentTab.Content user={user} />}
    </>
  );
}

type UserDialog = 'profile' | 'accountManager' | 'discount' | 'payment' | 'rolesAndPermissions' | 'erase';

function UserActions({ user }: { user: User }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  const { data: discount } = useDiscount(user.id);
  const [dialog, setDialog] = useState<UserDialog | null>(null);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['users'] });
  const refreshPayments = () => {
    refresh();
    void queryClient.invalidateQueries({ queryKey: ['transactions'] });
  };
  const refreshRolesAndPermissions = () => {
    refresh();
    for (const key of ['staff', 'roles']) void queryClient.invalidateQueries({ queryKey: [key] });
  };
  const dialogProps = { user, onClose: () => setDialog(null), onChanged: refresh };
  return (
    <div className="record-actions">
      {user.actions.editable && (
        <>
          <Button icon="pencil" label={t('users.edit')} onClick={() => setDialog('profile')} />
          <Button icon="user" label={t('users.setAccountManager')} onClick={() => setDialog('accountManager')} />
          <Button icon="percentage" label={t('users.setDiscount')} onClick={() => setDialog('discount')} />
        </>
      )}
      {hasPermission('manage finances') && (
        <Button icon="wallet" label={t('payments.create')} onClick={() => setDialog('payment')} />
      )}
      {user.actions.grantable && (
        <Button icon="key" label={t('staff.rolesAndPermissions')} onClick={() => setDialog('rolesAndPermissions')} />
      )}
      <RecordActions row={user} actions={USER_ACTIONS} withoutForms onDone={refresh} />
      {user.actions.data_exportable && <ExportDataButton user={user} />}
      {user.actions.erasable && (
        <Button icon="eraser" tone="danger" label={t('users.personalData.erase')} onClick={() => setDialog('erase')} />
      )}
      {dialog === 'profile' && <ProfileForm {...dialogProps} />}
      {dialog === 'rolesAndPermissions' && (
        <RolesAndPermissionsForm
          user={user}
          reload={() => fetchUser(user.id)}
          onClose={dialogProps.onClose}
          onDone={refreshRolesAndPermissions}
        />
      )}
      {dialog === 'accountManager' && <AccountManagerForm {...dialogProps} />}
      {dialog === 'discount' && discount && <DiscountForm {...dialogProps} discount={discount} />}
      {dialog === 'erase' && <EraseDialog user={user} onClose={dialogProps.onClose} onDone={refresh} />}
      {dialog === 'payment' && (
        <ManualPaymentDialog userId={user.id} onClose={dialogProps.onClose} onDone={refreshPayments} />
      )}
    </div>
  );
}
