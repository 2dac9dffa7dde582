// The dialogs of staff: a new member, a member's name and password, what a person may do, a role.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { Permission as PERMISSIONS } from '@/api/words';
import { unlessEmpty } from '@/form/codec';
import { ids, isOn, text, textOrNull, tick, wordsIn, wordsOf } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import type { Permission } from '@/session/hooks';
import { PasswordField } from '@/session/PasswordField';
import { readMember } from './calls';
import { Grants, RoleTicks, useRoles } from './Grants';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

const permissions = wordsOf(PERMISSIONS);
const NEW_MEMBER = formOf<Schemas['NewStaffInput']>()({
  name: text,
  email: text,
  password: text,
  roles: ids,
  permissions,
});
const MEMBER = formOf<Schemas['StaffInput']>()({ name: text, password: unlessEmpty(textOrNull) });
const GRANTS = formOf<Schemas['GrantsInput']>()({ roles: ids, permissions });
const ROLE = formOf<Schemas['RoleInput']>()({ name: text, permissions, requires_second_factor: tick });

/** Roles and permissions, as two fields of a form. */
function useGrantFields(): FormField[] {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  /** Which of the ticked roles allow it already. */
  const by = (name: Permission, ticked: string | undefined) =>
    roles
      .filter((role) => wordsIn(ticked).includes(String(role.id)))
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
            !isOn(values.invite) && (
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
        const { password = '', ...body } = NEW_MEMBER.wholeOf(values);
        const sent = isOn(values.invite) ? body : { ...body, password };
        return unwrap(api.POST('/api/v1/admin/staffs', { body: sent, ...keyed(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const memberOf = ({ name, updated_at }: Schemas['StaffRow']) => MEMBER.valuesOf({ name, updated_at });

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
      spec={MEMBER}
      send={({ values, base }) => {
        const body = MEMBER.changesOf(values, base);
        return unwrap(api.PATCH('/api/v1/admin/staffs/{id}', { params: { path: { id: member.id } }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const namesOf = (entries: readonly Schemas['PermissionEntry'][]) => entries.map(({ name }) => name);

type Granted = Pick<Schemas['StaffRow'], 'id' | 'name' | 'roles' | 'permissions'>;

const grantsOf = ({ roles, permissions }: Granted) =>
  GRANTS.valuesOf({ roles: roles.map(({ id }) => id), permissions: namesOf(permissions) });

interface GrantsProps {
  who: Granted;
  /** The person as they are now: the call has no stamp. */
  read: () => Promise<Granted>;
}

/** Replaces the lists of what a person may do, in one call; a list that was not touched stays. */
export function GrantsForm({ who, read, onClose, onDone }: Props & GrantsProps) {
  const { t } = useTranslation();
  const fields = useGrantFields();
  return (
    <FormDialog
      title={t('staff.grantsOf', { name: who.name })}
      confirm={t('ui.save')}
      fields={fields}
      spec={GRANTS}
      initial={grantsOf(who)}
      reload={async () => grantsOf(await read())}
      unguarded={['roles', 'permissions']}
      send={({ values, base }) => {
        const path = { id: who.id };
        const body = GRANTS.changesOf(values, base);
        return unwrap(api.PATCH('/api/v1/admin/users/{id}/sync-roles-and-permissions', { params: { path }, body }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

const roleOf = ({ permissions, ...role }: Schemas['Role']) =>
  ROLE.valuesOf({ ...role, permissions: namesOf(permissions) });

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
        },
      ]}
      spec={ROLE}
      initial={role ? roleOf(role) : {}}
      reload={
        role
          ? async () =>
              roleOf((await unwrap(api.GET('/api/v1/admin/roles/{id}', { params: { path: { id: role.id } } }))).data)
          : undefined
      }
      send={async ({ values, base }, key) => {
        if (role) {
          const call = { params: { path: { id: role.id } }, body: ROLE.changesOf(values, base) };
          await unwrap(api.PATCH('/api/v1/admin/roles/{id}', call));
        } else await unwrap(api.POST('/api/v1/admin/roles', { body: ROLE.wholeOf(values), ...keyed(key) }));
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
