// Permissions by group, ticked. What one does not hold cannot be given; what a role gives already says so.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { words, wordsIn } from '@/form/codecs';
import { type Permission, useSession } from '@/session/hooks';
import { Tick } from '@/ui/Field';

type Entry = Schemas['PermissionEntry'];

/** Every permission there is. */
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

/** Whose permissions may be given: one's own. */
function useIsHeld(): (name: Permission) => boolean {
  const { profile } = useSession();
  const held = profile?.allPermissions ?? [];
  return (name) => held.some((entry) => entry.name === name);
}

function groups(entries: readonly Entry[]): [string, Entry[]][] {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) found.set(entry.group, [...(found.get(entry.group) ?? []), entry]);
  return [...found];
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Names of the roles that give a permission already. */
  by?: (name: Permission) => readonly string[];
}

export function Grants({ value, onChange, by = () => [] }: Props) {
  const { t } = useTranslation();
  const isHeld = useIsHeld();
  const all = usePermissions();
  const chosen = new Set(wordsIn(value));
  const toggle = (name: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(name);
    else next.delete(name);
    onChange(words.format(all.map((entry) => entry.name).filter((name) => next.has(name))));
  };
  return (
    <div className="grants">
      {groups(all).map(([group, entries]) => (
        <fieldset key={group}>
          <legend>{t(`permissionGroup.${group as 'users'}`, { defaultValue: group })}</legend>
          {entries.map(({ name }) => {
            const roles = by(name);
            return (
              <Tick
                key={name}
                label={t(`permission.${name}`, { defaultValue: name })}
                checked={chosen.has(name)}
                onChange={(on) => toggle(name, on)}
                disabled={isHeld(name) ? undefined : t('staff.notHeld')}
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

/** Roles to tick: those that one may give. */
export function RoleTicks({ value, onChange }: RolesProps) {
  const { t } = useTranslation();
  const roles = useRoles() ?? [];
  const chosen = new Set(wordsIn(value));
  return (
    <div className="grants">
      <fieldset>
        <legend>{t('staff.roles')}</legend>
        {roles.length === 0 && <p className="none">{t('staff.noRoles')}</p>}
        {roles.map((role) => {
          const id = String(role.id);
          return (
            <Tick
              key={id}
              label={role.name}
              checked={chosen.has(id)}
              onChange={(on) => onChange(words.format(on ? [...chosen, id] : [...chosen].filter((one) => one !== id)))}
              disabled={role.grantable ? undefined : t('staff.notHeld')}
              note={t('staff.permissionCount', { count: role.permissions.length })}
            />
          );
        })}
      </fieldset>
    </div>
  );
}

/** Names of permissions, in the interface's language. */
export function Names({ permissions }: { permissions: readonly Entry[] }) {
  const { t } = useTranslation();
  return permissions.map(({ name }) => t(`permission.${name}`, { defaultValue: name })).join(', ');
}
