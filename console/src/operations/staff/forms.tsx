// Four dialogs: a new staff member, the name and password of a staff member, the roles and permissions of a user, and a role.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Permission as PERMISSIONS } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import {
  checkboxCodec,
  enumListCodec,
  idListCodec,
  isChecked,
  parseCommaList,
  textCodec,
  textOrNullCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import type { Permission } from '@/session/hooks';
import { PasswordField } from '@/session/PasswordField';
import { PermissionCheckboxes, RoleCheckboxes, useRoles } from './PermissionCheckboxes';
import { fetchMember } from './requests';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

const permissionsCodec = enumListCodec(PERMISSIONS);
const NEW_MEMBER_FORM = defineForm<Schemas['NewStaffInput']>()({
  name: textCodec,
  email: textCodec,
  password: textCodec,
  roles: idListCodec,
  permissions: permissionsCodec,
});
const MEMBER_FORM = defineForm<Schemas['StaffInput']>()({ name: textCodec, password: omitIfEmpty(textOrNullCodec) });
const ROLES_AND_PERMISSIONS_FORM = defineForm<Schemas['GrantsInput']>()({
  roles: idListCodec,
  permissions: permissionsCodec,
});
const ROLE_FORM = defineForm<Schemas['RoleInput']>()({
  name: textCodec,
  permissions: permissionsCodec,
  requires_second_factor: checkboxCodec,
});

/** Returns the form fields for the roles and the permissions of a user. */
function useRoleAndPermissionFields(): FormField[] {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  /** Returns the names of the selected roles that grant the permission. */
  const findGrantingRoles = (name: Permission, selectedRoleIds: string | undefined) =>
    roles
      .filter((role) => parseCommaList(selectedRoleIds).includes(String(role.id)))
      .filter((role) => role.permissions.some((entry) => entry.name === name))
      .map((role) => role.name);
  return [
    {
      name: 'roles',
      label: t('staff.roles'),
      fullWidth: true,
      render: ({ value, onChange }) => <RoleCheckboxes value={value} onChange={onChange} />,
    },
    {
      name: 'permissions',
      label: t('staff.permissions'),
      fullWidth: true,
      render: ({ value, onChange, values }) => (
        <PermissionCheckboxes
          value={value}
          onChange={onChange}
          findGrantingRoles={(name) => findGrantingRoles(name, values.roles)}
        />
      ),
    },
  ];
}

export function NewMemberForm({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const roleAndPermissionFields = useRoleAndPermissionFields();
  return (
    <FormDialog
      title={t('staff.create')}
      confirmLabel={t('staff.create')}
      fields={[
        { name: 'name', label: t('users.columns.name'), maxLength: 100 },
        { name: 'email', label: t('users.columns.email'), maxLength: 254 },
        { name: 'invite', label: t('staff.invite'), mode: 'checkbox' },
        {
          name: 'password',
          label: t('staff.password'),
          fullWidth: true,
          render: ({ value, onChange, values }) =>
            !isChecked(values.invite) && (
              <PasswordField
                label={t('staff.password')}
                hint={t('staff.passwordHint')}
                value={value}
                onChange={onChange}
                isNew
              />
            ),
        },
        ...roleAndPermissionFields,
      ]}
      initialValues={{ name: '', email: '', invite: 'yes', password: '', roles: '', permissions: '' }}
      spec={NEW_MEMBER_FORM}
      send={({ values }, key) => {
        const { password = '', ...body } = NEW_MEMBER_FORM.toBody(values);
        const input = isChecked(values.invite) ? body : { ...body, password };
        return unwrap(api.POST('/api/v1/admin/staffs', { body: input, ...withIdempotencyKey(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const toMemberValues = ({ name, updated_at }: Schemas['StaffRow']) => MEMBER_FORM.toValues({ name, updated_at });

export function MemberForm({ member, onClose, onDone }: Props & { member: Schemas['StaffRow'] }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('staff.edit')}
      confirmLabel={t('ui.save')}
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
      initialValues={toMemberValues(member)}
      reload={async () => toMemberValues(await fetchMember(member.id))}
      spec={MEMBER_FORM}
      send={({ values, base }) => {
        const body = MEMBER_FORM.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/staffs/{id}', { params: { path: { id: member.id } }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const toPermissionNames = (entries: readonly Schemas['PermissionInfo'][]) => entries.map(({ name }) => name);

type UserWithPermissions = Pick<Schemas['StaffRow'], 'id' | 'name' | 'roles' | 'permissions'>;

const toRolesAndPermissionsValues = ({ roles, permissions }: UserWithPermissions) =>
  ROLES_AND_PERMISSIONS_FORM.toValues({
    roles: roles.map(({ id }) => id),
    permissions: toPermissionNames(permissions),
  });

interface RolesAndPermissionsProps {
  user: UserWithPermissions;
  /**
   * Fetches the current roles and permissions. They are compared before the save, because the endpoint does not check `updated_at`.
   */
  reload: () => Promise<UserWithPermissions>;
}

/** Replaces the roles and permissions of a user in one request. The request contains only the changed lists. */
export function RolesAndPermissionsForm({ user, reload, onClose, onDone }: Props & RolesAndPermissionsProps) {
  const { t } = useTranslation();
  const fields = useRoleAndPermissionFields();
  return (
    <FormDialog
      title={t('staff.rolesAndPermissionsOf', { name: user.name })}
      confirmLabel={t('ui.save')}
      fields={fields}
      spec={ROLES_AND_PERMISSIONS_FORM}
      initialValues={toRolesAndPermissionsValues(user)}
      reload={async () => toRolesAndPermissionsValues(await reload())}
      unversionedLists={['roles', 'permissions']}
      send={({ values, base }) => {
        const path = { id: user.id };
        const body = ROLES_AND_PERMISSIONS_FORM.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-roles-and-permissions', { params: { path }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const toRoleValues = ({ permissions, ...role }: Schemas['Role']) =>
  ROLE_FORM.toValues({ ...role, permissions: toPermissionNames(permissions) });

export function RoleForm({ role, onClose, onDone }: Props & { role: Schemas['Role'] | null }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={role ? t('staff.editRole', { name: role.name }) : t('staff.createRole')}
      confirmLabel={role ? t('ui.save') : t('staff.createRole')}
      fields={[
        { name: 'name', label: t('users.columns.name'), maxLength: 60 },
        {
          name: 'permissions',
          label: t('staff.permissions'),
          fullWidth: true,
          render: ({ value, onChange }) => <PermissionCheckboxes value={value} onChange={onChange} />,
        },
        {
          name: 'requires_second_factor',
          label: t('staff.requiresSecondFactor'),
          hint: t('staff.requiresSecondFactorHint'),
        },
      ]}
      spec={ROLE_FORM}
      initialValues={role ? toRoleValues(role) : {}}
      reload={
        role
          ? async () =>
              toRoleValues(
                (await unwrap(api.GET('/api/v1/admin/roles/{id}', { params: { path: { id: role.id } } }))).data,
              )
          : undefined
      }
      send={async ({ values, base }, key) => {
        if (role) {
          const request = { params: { path: { id: role.id } }, body: ROLE_FORM.toPatch(values, base) };
          await unwrap(api.PATCH('/api/v1/admin/roles/{id}', request));
        } else
          await unwrap(api.POST('/api/v1/admin/roles', { body: ROLE_FORM.toBody(values), ...withIdempotencyKey(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
