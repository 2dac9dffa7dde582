// The page of one staff member: roles, permissions, account and audit entries.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useHasPermission } from '@/session/hooks';
import { scopeToRecord } from '@/table/listDefinition';
import { RecordActions } from '@/table/RecordActions';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { AUDIT_LIST } from '../audit/AuditLog';
import { STAFF_ACTIONS } from './actions';
import { MemberForm, RolesAndPermissionsForm } from './forms';
import { PermissionNames, useRoles } from './PermissionCheckboxes';
import { fetchMember } from './requests';

type Member = Schemas['StaffRow'];

export default function MemberPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['staff', 'detail', id],
    queryFn: ({ signal }) => fetchMember(id, signal),
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/staff', text: t('staff.title') }}>
      {(member) => (
        <>
          <MemberHeader member={member} />
          <div className="record-grid">
            <MemberPermissions member={member} />
            <MemberAccount member={member} />
          </div>
          {hasPermission('view audits') && <ServerTable list={scopeToRecord(AUDIT_LIST, { 'user.id': String(id) })} />}
        </>
      )}
    </RecordPage>
  );
}

function MemberHeader({ member }: { member: Member }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<'edit' | 'rolesAndPermissions' | null>(null);
  const refresh = () => {
    for (const key of ['staff', 'roles', 'users']) void queryClient.invalidateQueries({ queryKey: [key] });
  };
  const dialogProps = { onClose: () => setDialog(null), onDone: refresh };
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{member.name}</h1>
        <CopyButton text={String(member.id)} />
        <StatusTag status={member.is_active ? 'active' : 'deactivated'} />
      </div>
      <div className="record-actions">
        {member.actions.grantable && (
          <Button icon="key" label={t('staff.rolesAndPermissions')} onClick={() => setDialog('rolesAndPermissions')} />
        )}
        {member.actions.editable && <Button icon="pencil" label={t('staff.edit')} onClick={() => setDialog('edit')} />}
        <RecordActions row={member} actions={STAFF_ACTIONS} onDone={refresh} />
      </div>
      {dialog === 'edit' && <MemberForm {...dialogProps} member={member} />}
      {dialog === 'rolesAndPermissions' && (
        <RolesAndPermissionsForm {...dialogProps} user={member} reload={() => fetchMember(member.id)} />
      )}
    </>
  );
}

function MemberPermissions({ member }: { member: Member }) {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  const memberRoles = roles.filter((role) => member.roles.some(({ id }) => id === role.id));
  return (
    <Card title={t('staff.rolesAndPermissions')}>
      <DescriptionList
        rows={[
          ...memberRoles.map(
            (role) => [role.name, <PermissionNames key={role.id} permissions={role.permissions} />] as const,
          ),
          [
            t('staff.additionalPermissions'),
            member.permissions.length > 0 ? <PermissionNames key="own" permissions={member.permissions} /> : null,
          ],
        ]}
      />
    </Card>
  );
}

function MemberAccount({ member }: { member: Member }) {
  const { t } = useTranslation();
  return (
    <Card title={t('users.profile')}>
      <DescriptionList
        rows={[
          [t('users.columns.id'), member.id],
          [
            t('users.columns.email'),
            <span key="email" className="with-copy wraps">
              <span>{member.email}</span>
              <CopyButton text={member.email} />
            </span>,
          ],
          [t('users.columns.createdAt'), <DateTime key="at" time={member.created_at} />],
          [t('secondFactor.title'), t(member.has_second_factor ? 'staff.hasSecondFactor' : 'staff.noSecondFactor')],
          ...(member.invitation_expires_at
            ? [[t('staff.invitedUntil'), <DateTime key="invited" time={member.invitation_expires_at} />] as const]
            : []),
        ]}
      />
    </Card>
  );
}
