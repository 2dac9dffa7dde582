// Four dialogs: a new staff member, the name and password of a staff member, the roles and permissions of a user, and a role.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Permission as PERMISSIONS } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { checkbox, choices, ids, isChecked, parseCommaList, text, textOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import type { Permission } from '@/session/hooks';
import { PasswordField } from '@/session/PasswordField';
import { fetchMember } from './calls';
import { PermissionCheckboxes, RoleCheckboxes, useRoles } from './PermissionCheckboxes';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

const permissionsCodec = choices(PERMISSIONS);
const NEW_MEMBER_FORM = defineForm<Schemas['NewStaffInput']>()({
  name: text,
  email: text,
  password: text,
  roles: ids,
  permissions: permissionsCodec,
});
const MEMBER_FORM = defineForm<Schemas['StaffInput']>()({ name: text, password: omitIfEmpty(textOrNull) });
const GRANTS_FORM = defineForm<Schemas['GrantsInput']>()({ roles: ids, permissions: permissionsCodec });
const ROLE_FORM = defineForm<Schemas['RoleInput']>()({
  name: text,
  permissions: permissionsCodec,
  requires_second_factor: checkbox,
});

/** The form fields for the roles and for the permissions of a user. */
function useGrantFields(): FormField[] {
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
  const grantFields = useGrantFields();
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
        ...grantFields,
      ]}
      initial={{ name: '', email: '', invite: 'yes', password: '', roles: '', permissions: '' }}
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
      initial={toMemberValues(member)}
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

const toNames = (entries: readonly Schemas['PermissionEntry'][]) => entries.map(({ name }) => name);

type GrantedUser = Pick<Schemas['StaffRow'], 'id' | 'name' | 'roles' | 'permissions'>;

const toGrantValues = ({ roles, permissions }: GrantedUser) =>
  GRANTS_FORM.toValues({ roles: roles.map(({ id }) => id), permissions: toNames(permissions) });

interface GrantsProps {
  user: GrantedUser;
  /** Fetches the current roles and permissions before they are replaced, because the endpoint does not check `updated_at`. */
  reload: () => Promise<GrantedUser>;
}

/** Replaces the roles and permissions of a user in one request. The request contains only the changed lists. */
export function GrantsForm({ user, reload, onClose, onDone }: Props & GrantsProps) {
  const { t } = useTranslation();
  const fields = useGrantFields();
  return (
    <FormDialog
      title={t('staff.rolesAndPermissionsOf', { name: user.name })}
      confirmLabel={t('ui.save')}
      fields={fields}
      spec={GRANTS_FORM}
      initial={toGrantValues(user)}
      reload={async () => toGrantValues(await reload())}
      unversionedLists={['roles', 'permissions']}
      send={({ values, base }) => {
        const path = { id: user.id };
        const body = GRANTS_FORM.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-roles-and-permissions', { params: { path }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const toRoleValues = ({ permissions, ...role }: Schemas['Role']) =>
  ROLE_FORM.toValues({ ...role, permissions: toNames(permissions) });

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
      initial={role ? toRoleValues(role) : {}}
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
