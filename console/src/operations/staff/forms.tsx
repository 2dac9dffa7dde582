// The dialogs of staff: a new staff member, the name and password of one, the roles and permissions of a user, and a role.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Permission as PERMISSIONS } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { checkbox, choices, ids, isChecked, parseWords, text, textOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import type { Permission } from '@/session/hooks';
import { PasswordField } from '@/session/PasswordField';
import { readMember } from './calls';
import { PermissionCheckboxes, RoleCheckboxes, useRoles } from './PermissionCheckboxes';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

const permissions = choices(PERMISSIONS);
const NEW_MEMBER = defineForm<Schemas['NewStaffInput']>()({
  name: text,
  email: text,
  password: text,
  roles: ids,
  permissions,
});
const MEMBER = defineForm<Schemas['StaffInput']>()({ name: text, password: omitIfEmpty(textOrNull) });
const GRANTS = defineForm<Schemas['GrantsInput']>()({ roles: ids, permissions });
const ROLE = defineForm<Schemas['RoleInput']>()({ name: text, permissions, requires_second_factor: checkbox });

/** The form fields for roles and for permissions. */
function useGrantFields(): FormField[] {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  /** The names of the checked roles that grant the permission. */
  const rolesWith = (name: Permission, checkedRoles: string | undefined) =>
    roles
      .filter((role) => parseWords(checkedRoles).includes(String(role.id)))
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
        <PermissionCheckboxes value={value} onChange={onChange} rolesWith={(name) => rolesWith(name, values.roles)} />
      ),
    },
  ];
}

export function NewMemberForm({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const grants = useGrantFields();
  return (
    <FormDialog
      title={t('staff.create')}
      confirm={t('staff.create')}
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
        ...grants,
      ]}
      initial={{ name: '', email: '', invite: 'yes', password: '', roles: '', permissions: '' }}
      spec={NEW_MEMBER}
      send={({ values }, key) => {
        const { password = '', ...body } = NEW_MEMBER.toBody(values);
        const sent = isChecked(values.invite) ? body : { ...body, password };
        return unwrap(api.POST('/api/v1/admin/staffs', { body: sent, ...withIdempotencyKey(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const memberValuesOf = ({ name, updated_at }: Schemas['StaffRow']) => MEMBER.toValues({ name, updated_at });

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
      initial={memberValuesOf(member)}
      reload={async () => memberValuesOf(await readMember(member.id))}
      spec={MEMBER}
      send={({ values, base }) => {
        const body = MEMBER.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/staffs/{id}', { params: { path: { id: member.id } }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const namesOf = (entries: readonly Schemas['PermissionEntry'][]) => entries.map(({ name }) => name);

type GrantedUser = Pick<Schemas['StaffRow'], 'id' | 'name' | 'roles' | 'permissions'>;

const grantValuesOf = ({ roles, permissions }: GrantedUser) =>
  GRANTS.toValues({ roles: roles.map(({ id }) => id), permissions: namesOf(permissions) });

interface GrantsProps {
  user: GrantedUser;
  /** Reads the current roles and permissions before they are replaced, because the endpoint checks no `updated_at`. */
  read: () => Promise<GrantedUser>;
}

/** Replaces the roles and permissions of a user in one request. A list that was not changed is not sent. */
export function GrantsForm({ user, read, onClose, onDone }: Props & GrantsProps) {
  const { t } = useTranslation();
  const fields = useGrantFields();
  return (
    <FormDialog
      title={t('staff.grantsOf', { name: user.name })}
      confirm={t('ui.save')}
      fields={fields}
      spec={GRANTS}
      initial={grantValuesOf(user)}
      reload={async () => grantValuesOf(await read())}
      unversionedLists={['roles', 'permissions']}
      send={({ values, base }) => {
        const path = { id: user.id };
        const body = GRANTS.toPatch(values, base);
        return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-roles-and-permissions', { params: { path }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const roleValuesOf = ({ permissions, ...role }: Schemas['Role']) =>
  ROLE.toValues({ ...role, permissions: namesOf(permissions) });

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
          fullWidth: true,
          render: ({ value, onChange }) => <PermissionCheckboxes value={value} onChange={onChange} />,
        },
        {
          name: 'requires_second_factor',
          label: t('staff.requiresSecondFactor'),
          hint: t('staff.requiresSecondFactorHint'),
        },
      ]}
      spec={ROLE}
      initial={role ? roleValuesOf(role) : {}}
      reload={
        role
          ? async () =>
              roleValuesOf(
                (await unwrap(api.GET('/api/v1/admin/roles/{id}', { params: { path: { id: role.id } } }))).data,
              )
          : undefined
      }
      send={async ({ values, base }, key) => {
        if (role) {
          const call = { params: { path: { id: role.id } }, body: ROLE.toPatch(values, base) };
          await unwrap(api.PATCH('/api/v1/admin/roles/{id}', call));
        } else await unwrap(api.POST('/api/v1/admin/roles', { body: ROLE.toBody(values), ...withIdempotencyKey(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
