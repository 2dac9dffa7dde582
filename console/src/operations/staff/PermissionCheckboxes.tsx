// The checkboxes of permissions and roles. Staff members can grant only permissions that they have themselves. If a selected role
// already grants a permission, a note next to the checkbox of the permission names the role.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { commaListCodec, parseCommaList } from '@/form/codecs';
import { type Permission, useSession } from '@/session/hooks';
import { Checkbox } from '@/ui/Field';

type PermissionInfo = Schemas['PermissionInfo'];

function useAllPermissions(): readonly PermissionInfo[] {
  const { data } = useQuery({
    queryKey: ['permissions'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/permissions'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

export function useRoles(): readonly Schemas['Role'][] | undefined {
  return useQuery({
    queryKey: ['roles'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/roles'))).data,
  }).data;
}

/** Returns a function that checks whether the signed-in staff member has a permission, and may therefore grant it. */
function useHoldsPermission(): (name: Permission) => boolean {
  const { profile } = useSession();
  const ownPermissions = profile?.allPermissions ?? [];
  return (name) => ownPermissions.some((entry) => entry.name === name);
}

function groupPermissions(entries: readonly PermissionInfo[]): [string, PermissionInfo[]][] {
  const groups = new Map<string, PermissionInfo[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups];
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Returns the names of the selected roles that already grant the permission. */
  findGrantingRoles?: (name: Permission) => readonly string[];
}

export function PermissionCheckboxes({ value, onChange, findGrantingRoles = () => [] }: Props) {
  const { t } = useTranslation();
  const holdsPermission = useHoldsPermission();
  const permissions = useAllPermissions();
  const selectedNames = new Set(parseCommaList(value));
  const toggle = (name: string, isChecked: boolean) => {
    const newSelection = new Set(selectedNames);
    if (isChecked) newSelection.add(name);
    else newSelection.delete(name);
    onChange(commaListCodec.format(permissions.map((entry) => entry.name).filter((name) => newSelection.has(name))));
  };
  return (
    <div className="grants">
      {groupPermissions(permissions).map(([group, entries]) => (
        <fieldset key={group}>
          <legend>{t(`permissionGroup.${group as 'users'}`, { defaultValue: group })}</legend>
          {entries.map(({ name }) => {
            const roles = findGrantingRoles(name);
            return (
              <Checkbox
                key={name}
                label={t(`permission.${name}`, { defaultValue: name })}
                checked={selectedNames.has(name)}
                onChange={(isChecked) => toggle(name, isChecked)}
                disabledReason={holdsPermission(name) ? undefined : t('staff.cannotGrant')}
                note={roles.length > 0 ? t('staff.grantedByRoles', { roles: roles.join(', ') }) : undefined}
              />
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}

interface RolesProps {
  value: string;
  onChange: (value: string) => void;
}

/** The checkboxes of roles. A role with a permission that the signed-in staff member does not have is disabled. */
export function RoleCheckboxes({ value, onChange }: RolesProps) {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  const selectedIds = new Set(parseCommaList(value));
  return (
    <div className="grants">
      <fieldset>
        <legend>{t('staff.roles')}</legend>
        {roles.length === 0 && <p className="none">{t('staff.noRoles')}</p>}
        {roles.map((role) => {
          const id = String(role.id);
          return (
            <Checkbox
              key={id}
              label={role.name}
              checked={selectedIds.has(id)}
              onChange={(isChecked) => {
                const otherIds = [...selectedIds].filter((selectedId) => selectedId !== id);
                onChange(commaListCodec.format(isChecked ? [...otherIds, id] : otherIds));
              }}
              disabledReason={role.grantable ? undefined : t('staff.cannotGrant')}
              note={t('staff.permissionCount', { count: role.permissions.length })}
            />
          );
        })}
      </fieldset>
    </div>
  );
}

/** The names of permissions in the language of the interface. */
export function PermissionNames({ permissions }: { permissions: readonly PermissionInfo[] }) {
  const { t } = useTranslation();
  return permissions.map(({ name }) => t(`permission.${name}`, { defaultValue: name })).join(', ');
}
