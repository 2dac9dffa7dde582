// The list of roles. A role is a named set of permissions.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { SimpleTable } from '@/ui/SimpleTable';
import { Tabs } from '@/ui/Tabs';
import { ROLE_ACTIONS } from './actions';
import { RoleForm } from './forms';
import { PermissionNames } from './PermissionCheckboxes';
import { STAFF_TABS } from './tabs';

type Role = Schemas['Role'];

export default function Roles() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The role in the dialog; 'new' for a new role, null if the dialog is closed.
  const [dialogRole, setDialogRole] = useState<Role | 'new' | null>(null);
  const [pendingAction, setPendingAction] = useState<{ action: Action<Role>; role: Role } | null>(null);
  const query = useQuery({
    queryKey: ['roles'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/roles'))).data,
  });
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: ['roles'] });
    void queryClient.invalidateQueries({ queryKey: ['staff'] });
  };
  return (
    <div className="resource">
      <Tabs baseUrl="/staff" tabs={STAFF_TABS} currentTab="roles" />
      <div className="toolbar">
        <h1 tabIndex={-1}>{t('staff.roles')}</h1>
        <span className="grow" />
        <Button variant="filled" icon="plus" label={t('staff.createRole')} onClick={() => setDialogRole('new')} />
      </div>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && (
        <section className="card">
          <SimpleTable
            label={t('staff.roles')}
            rows={query.data}
            getRowKey={(role) => role.id}
            emptyText={t('staff.noRoles')}
            columns={[
              {
                title: t('users.columns.name'),
                renderCell: (role) => <strong className="one-line">{role.name}</strong>,
              },
              { title: t('staff.members'), align: 'end', renderCell: (role) => formatNumber(role.users_count) },
              {
                title: t('staff.permissions'),
                renderCell: (role) => <PermissionNames permissions={role.permissions} />,
              },
              {
                title: '',
                align: 'end',
                renderCell: (role) => (
                  <RoleButtons
                    role={role}
                    onEdit={() => setDialogRole(role)}
                    onDelete={(action) => setPendingAction({ action, role })}
                  />
                ),
              },
            ]}
          />
        </section>
      )}
      {dialogRole && (
        <RoleForm
          role={dialogRole === 'new' ? null : dialogRole}
          onClose={() => setDialogRole(null)}
          onDone={refresh}
        />
      )}
      {pendingAction && (
        <ActionDialog
          action={pendingAction.action}
          ids={[pendingAction.role.id]}
          row={pendingAction.role}
          onClose={() => setPendingAction(null)}
          onDone={refresh}
        />
      )}
    </div>
  );
}

function RoleButtons({
  role,
  onEdit,
  onDelete,
}: {
  role: Role;
  onEdit: () => void;
  onDelete: (action: Action<Role>) => void;
}) {
  const { t } = useTranslation();
  const deleteAction = ROLE_ACTIONS[0];
  const disabledReason = role.editable ? undefined : t('staff.roleHasMorePermissions');
  return (
    <RowButtons
      editButton={{ label: t('staff.editRole', { name: role.name }), disabled: disabledReason, onClick: onEdit }}
      deleteButton={{
        label: t('staff.deleteRole', { name: role.name }),
        disabled: disabledReason ?? (deleteAction?.isAllowedFor(role) ? undefined : t('staff.roleInUse')),
        onClick: () => deleteAction && onDelete(deleteAction),
      }}
    />
  );
}
