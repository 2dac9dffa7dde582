// Roles: names for permissions that go together.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count } from '@/i18n/format';
import { ActionDialog } from '@/table/ActionDialog';
import type { Action } from '@/table/action';
import { Button } from '@/ui/Button';
import { SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { Tabs } from '@/ui/Tabs';
import { ROLE_ACTIONS } from './actions';
import { RoleForm } from './forms';
import { Names } from './Grants';
import { STAFF_TABS } from './tabs';

type Role = Schemas['Role'];

export default function Roles() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ role: Role | null } | null>(null);
  const [chosen, setChosen] = useState<{ action: Action<Role>; role: Role } | null>(null);
  const query = useQuery({
    queryKey: ['roles'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/roles'))).data,
  });
  const changed = () => {
    void queries.invalidateQueries({ queryKey: ['roles'] });
    void queries.invalidateQueries({ queryKey: ['staff'] });
  };
  return (
    <div className="resource">
      <Tabs base="/staff" tabs={STAFF_TABS} now="roles" />
      <div className="toolbar">
        <h1 tabIndex={-1}>{t('staff.roles')}</h1>
        <span className="grow" />
        <Button look="filled" icon="plus" label={t('staff.createRole')} onClick={() => setForm({ role: null })} />
      </div>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && (
        <section className="card">
          <SmallTable
            label={t('staff.roles')}
            rows={query.data}
            rowKey={(role) => role.id}
            empty={t('staff.noRoles')}
            columns={[
              { title: t('users.columns.name'), cell: (role) => <strong className="one-line">{role.name}</strong> },
              { title: t('staff.holders'), align: 'end', cell: (role) => count(role.users_count) },
              { title: t('staff.permissions'), cell: (role) => <Names permissions={role.permissions} /> },
              {
                title: '',
                align: 'end',
                cell: (role) => (
                  <Buttons
                    role={role}
                    onEdit={() => setForm({ role })}
                    onAct={(action) => setChosen({ action, role })}
                  />
                ),
              },
            ]}
          />
        </section>
      )}
      {form && <RoleForm role={form.role} onClose={() => setForm(null)} onDone={changed} />}
      {chosen && (
        <ActionDialog
          action={chosen.action}
          ids={[chosen.role.id]}
          row={chosen.role}
          onClose={() => setChosen(null)}
          onDone={changed}
        />
      )}
    </div>
  );
}

function Buttons({ role, onEdit, onAct }: { role: Role; onEdit: () => void; onAct: (action: Action<Role>) => void }) {
  const { t } = useTranslation();
  const action = ROLE_ACTIONS[0];
  const more = role.editable ? undefined : t('staff.allowsMore');
  return (
    <RowButtons
      edit={{ label: t('staff.editRole', { name: role.name }), disabled: more, onClick: onEdit }}
      remove={{
        label: t('staff.deleteRole', { name: role.name }),
        disabled: more ?? (action?.allows(role) ? undefined : t('staff.inUse')),
        onClick: () => action && onAct(action),
      }}
    />
  );
}
