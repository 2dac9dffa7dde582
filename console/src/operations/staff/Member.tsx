// One member of staff: what they may do, and by what.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { useMay } from '@/session/hooks';
import { within } from '@/table/declare';
import { RecordActions } from '@/table/RecordActions';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { Facts, Panel } from '@/ui/Facts';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { AUDITS } from '../audit/AuditLog';
import { STAFF_ACTIONS } from './actions';
import { readMember } from './calls';
import { GrantsForm, MemberForm } from './forms';
import { Names, useRoles } from './Grants';

type Member = Schemas['StaffRow'];

export default function MemberPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const may = useMay();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['staff', 'one', id],
    queryFn: ({ signal }) => readMember(id, signal),
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/staff', text: t('staff.title') }}>
      {(member) => (
        <>
          <Head member={member} />
          <div className="record-grid">
            <Allowed member={member} />
            <Person member={member} />
          </div>
          {may('view audits') && <ServerTable list={within(AUDITS, { 'user.id': String(id) })} />}
        </>
      )}
    </RecordPage>
  );
}

function Head({ member }: { member: Member }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'edit' | 'grants' | null>(null);
  const changed = () => {
    for (const key of ['staff', 'roles', 'users']) void queries.invalidateQueries({ queryKey: [key] });
  };
  const given = { onClose: () => setDialog(null), onDone: changed };
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{member.name}</h1>
        <CopyButton text={String(member.id)} />
        <StatusTag status={member.is_active ? 'active' : 'deactivated'} />
      </div>
      <div className="record-actions">
        {member.actions.grantable && (
          <Button icon="key" label={t('staff.grants')} onClick={() => setDialog('grants')} />
        )}
        {member.actions.editable && <Button icon="pencil" label={t('staff.edit')} onClick={() => setDialog('edit')} />}
        <RecordActions row={member} actions={STAFF_ACTIONS} onDone={changed} />
      </div>
      {dialog === 'edit' && <MemberForm {...given} member={member} />}
      {dialog === 'grants' && <GrantsForm {...given} who={member} read={() => readMember(member.id)} />}
    </>
  );
}

function Allowed({ member }: { member: Member }) {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  const theirs = roles.filter((role) => member.roles.some(({ id }) => id === role.id));
  return (
    <Panel title={t('staff.grants')}>
      <Facts
        rows={[
          ...theirs.map((role) => [role.name, <Names key={role.id} permissions={role.permissions} />] as const),
          [t('staff.own'), member.permissions.length > 0 ? <Names key="own" permissions={member.permissions} /> : null],
        ]}
      />
    </Panel>
  );
}

function Person({ member }: { member: Member }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('users.person')}>
      <Facts
        rows={[
          [t('users.columns.id'), member.id],
          [
            t('users.columns.email'),
            <span key="email" className="with-copy wraps">
              <span>{member.email}</span>
              <CopyButton text={member.email} />
            </span>,
          ],
          [t('users.columns.createdAt'), <When key="at" at={member.created_at} />],
          [t('secondFactor.title'), t(member.has_second_factor ? 'staff.hasSecondFactor' : 'staff.noSecondFactor')],
          ...(member.invitation_expires_at
            ? [[t('staff.invitedUntil'), <When key="invited" at={member.invitation_expires_at} />] as const]
            : []),
        ]}
      />
    </Panel>
  );
}
