// Checkboxes of permissions and roles. A staff member can grant only permissions that they hold themselves. A permission that a
// role grants already has a note with the name of the role.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { parseWords, words } from '@/form/codecs';
import { type Permission, useSession } from '@/session/hooks';
import { Checkbox } from '@/ui/Field';

type Entry = Schemas['PermissionEntry'];

function usePermissions(): readonly Entry[] {
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

/** Whether the signed-in staff member holds a permission, and so may grant it. */
function useHoldsPermission(): (name: Permission) => boolean {
  const { profile } = useSession();
  const held = profile?.allPermissions ?? [];
  return (name) => held.some((entry) => entry.name === name);
}

function byGroup(entries: readonly Entry[]): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups];
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** The names of the chosen roles that grant the permission already. */
  rolesWith?: (name: Permission) => readonly string[];
}

export function PermissionCheckboxes({ value, onChange, rolesWith = () => [] }: Props) {
  const { t } = useTranslation();
  const holdsPermission = useHoldsPermission();
  const all = usePermissions();
  const selected = new Set(parseWords(value));
  const toggle = (name: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(name);
    else next.delete(name);
    onChange(words.format(all.map((entry) => entry.name).filter((name) => next.has(name))));
  };
  return (
    <div className="grants">
      {byGroup(all).map(([group, entries]) => (
        <fieldset key={group}>
          <legend>{t(`permissionGroup.${group as 'users'}`, { defaultValue: group })}</legend>
          {entries.map(({ name }) => {
            const roles = rolesWith(name);
            return (
              <Checkbox
                key={name}
                label={t(`permission.${name}`, { defaultValue: name })}
                checked={selected.has(name)}
                onChange={(on) => toggle(name, on)}
                disabled={holdsPermission(name) ? undefined : t('staff.notHeld')}
                note={roles.length > 0 ? t('staff.byRole', { roles: roles.join(', ') }) : undefined}
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

/** Checkboxes of roles. A role with a permission that the signed-in staff member lacks is disabled. */
export function RoleCheckboxes({ value, onChange }: RolesProps) {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  const selected = new Set(parseWords(value));
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
              checked={selected.has(id)}
              onChange={(on) =>
                onChange(words.format(on ? [...selected, id] : [...selected].filter((one) => one !== id)))
              }
              disabled={role.grantable ? undefined : t('staff.notHeld')}
              note={t('staff.permissionCount', { count: role.permissions.length })}
            />
          );
        })}
      </fieldset>
    </div>
  );
}

/** The names of permissions in the language of the interface. */
export function PermissionNames({ permissions }: { permissions: readonly Entry[] }) {
  const { t } = useTranslation();
  return permissions.map(({ name }) => t(`permission.${name}`, { defaultValue: name })).join(', ');
}
