// The dialogs of staff: a new member, a member's name and password, what somebody may do, a role.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import type { Permission } from '@/session/hooks';
import { PasswordField } from '@/session/PasswordField';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { readMember } from './calls';
import { Grants, joined, RoleTicks, split, useRoles } from './Grants';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

const permissionsOf = (text: string | undefined) => split(text) as Permission[];
const rolesOf = (text: string | undefined) => split(text).map(Number);

/** Roles and permissions, as two fields of a form. */
function useGrantFields(): FormField[] {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  /** Which of the ticked roles allow it already. */
  const by = (name: Permission, ticked: string | undefined) =>
    roles
      .filter((role) => split(ticked).includes(String(role.id)))
      .filter((role) => role.permissions.some((entry) => entry.name === name))
      .map((role) => role.name);
  return [
    {
      name: 'roles',
      label: t('staff.roles'),
      row: true,
      draw: ({ value, onChange }) => <RoleTicks value={value} onChange={onChange} />,
    },
    {
      name: 'permissions',
      label: t('staff.permissions'),
      row: true,
      draw: ({ value, onChange, values }) => (
        <Grants value={value} onChange={onChange} by={(name) => by(name, values.roles)} />
      ),
    },
  ];
}

export function NewMember({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const grants = useGrantFields();
  return (
    <FormDialog
      title={t('staff.create')}
      confirm={t('staff.create')}
      fields={[
        { name: 'name', label: t('users.columns.name'), maxLength: 100 },
        { name: 'email', label: t('users.columns.email'), maxLength: 254 },
        { name: 'invite', label: t('staff.invite'), mode: 'tick' },
        {
          name: 'password',
          label: t('staff.password'),
          row: true,
          draw: ({ value, onChange, values }) =>
            values.invite !== 'yes' && (
              <PasswordField
                label={t('staff.password')}
                hint={t('staff.passwordHint')}
                value={value}
                onChange={onChange}
                isNew
              />
            ),
        },
        ...grants,
      ]}
      initial={{ name: '', email: '', invite: 'yes', password: '', roles: '', permissions: '' }}
      onClose={onClose}
      onSave={async ({ name = '', email = '', invite, password = '', roles, permissions }) => {
        const granted = { roles: rolesOf(roles), permissions: permissionsOf(permissions) };
        const body = { name, email, ...(invite === 'yes' ? {} : { password }), ...granted };
        await told(api.POST('/api/v1/admin/staffs', { body }));
        onDone();
      }}
    />
  );
}

const memberOf = (member: Schemas['StaffRow']) => ({
  updated_at: member.updated_at,
  name: member.name,
  password: '',
});

export function MemberForm({ member, onClose, onDone }: Props & { member: Schemas['StaffRow'] }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('staff.edit')}
      confirm={t('ui.save')}
      fields={[
        { name: 'name', label: t('users.columns.name'), maxLength: 100 },
        {
          name: 'password',
          label: t('staff.newPassword'),
          mode: 'secret',
          hint: t('staff.newPasswordHint'),
          maxLength: 256,
        },
      ]}
      initial={memberOf(member)}
      reload={async () => memberOf(await readMember(member.id))}
      onClose={onClose}
      onSave={async ({ name = '', password }, was) => {
        const body = {
          ...(name === was.name ? {} : { name }),
          ...(password ? { password } : {}),
          updated_at: was.updated_at ?? null,
        };
        await told(api.PATCH('/api/v1/admin/staffs/{id}', { params: { path: { id: member.id } }, body }));
        onDone();
      }}
    />
  );
}

type Granted = Pick<Schemas['StaffRow'], 'id' | 'name' | 'roles' | 'permissions'>;

/** Replaces what somebody may do, in one call. */
export function GrantsForm({ who, onClose, onDone }: Props & { who: Granted }) {
  const { t } = useTranslation();
  const fields = useGrantFields();
  return (
    <FormDialog
      title={t('staff.grantsOf', { name: who.name })}
      confirm={t('ui.save')}
      fields={fields}
      initial={{
        roles: joined(who.roles.map((role) => String(role.id))),
        permissions: joined(who.permissions.map((permission) => permission.name)),
      }}
      onClose={onClose}
      onSave={async ({ roles, permissions }) => {
        const body = { roles: rolesOf(roles), permissions: permissionsOf(permissions) };
        const path = { id: who.id };
        await told(api.PATCH('/api/v1/admin/users/{id}/sync-roles-and-permissions', { params: { path }, body }));
        onDone();
      }}
    />
  );
}

const valuesOf = (role: Schemas['Role'] | null) => ({
  name: role?.name ?? '',
  permissions: joined(role?.permissions.map((permission) => permission.name) ?? []),
  requires_second_factor: role?.requires_second_factor ? 'yes' : '',
  ...(role ? { updated_at: role.updated_at } : {}),
});

export function RoleForm({ role, onClose, onDone }: Props & { role: Schemas['Role'] | null }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={role ? t('staff.editRole', { name: role.name }) : t('staff.createRole')}
      confirm={role ? t('ui.save') : t('staff.createRole')}
      fields={[
        { name: 'name', label: t('users.columns.name'), maxLength: 60 },
        {
          name: 'permissions',
          label: t('staff.permissions'),
          row: true,
          draw: ({ value, onChange }) => <Grants value={value} onChange={onChange} />,
        },
        {
          name: 'requires_second_factor',
          label: t('staff.requiresSecondFactor'),
          hint: t('staff.requiresSecondFactorHint'),
          mode: 'tick',
        },
      ]}
      initial={valuesOf(role)}
      reload={
        role
          ? async () =>
              valuesOf((await told(api.GET('/api/v1/admin/roles/{id}', { params: { path: { id: role.id } } }))).data)
          : undefined
      }
      onClose={onClose}
      onSave={async ({ name = '', permissions, requires_second_factor, updated_at }) => {
        const body = {
          name,
          permissions: permissionsOf(permissions),
          requires_second_factor: requires_second_factor === 'yes',
        };
        if (role) {
          const sent = { params: { path: { id: role.id } }, body: { ...body, updated_at: updated_at ?? null } };
          await told(api.PATCH('/api/v1/admin/roles/{id}', sent));
        } else {
          await told(api.POST('/api/v1/admin/roles', { body }));
        }
        onDone();
      }}
    />
  );
}
