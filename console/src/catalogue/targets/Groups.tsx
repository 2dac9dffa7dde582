// Groups of checks that the addresses of orders go through.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { initAt, keyed } from '@/api/how';
import { asProblem } from '@/api/problem';
import { ServiceTypeKind } from '@/api/words';
import { unlessEmpty } from '@/form/codec';
import { choiceOrNull, lines, text } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { newestOf } from '@/form/merge';
import { formOf } from '@/form/spec';
import { count } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { useTypes } from '../networks/forms';
import { type Group, readGroups, useGroups } from './calls';
import { TargetTabs } from './Tabs';

export default function Groups() {
  const { t } = useTranslation();
  const manages = useMay()('manage targets');
  const query = useGroups();
  const [open, setOpen] = useState<{ group: Group | null } | null>(null);
  const [gone, setGone] = useState<Group | null>(null);
  const queries = useQueryClient();
  return (
    <div className="record">
      <TargetTabs now="groups" />
      <div className="record-head">
        <h1 tabIndex={-1}>{t('targets.groups.title')}</h1>
        <span className="grow" />
        {manages && <Button icon="plus" label={t('targets.groups.create')} onClick={() => setOpen({ group: null })} />}
      </div>
      <p className="hint">{t('targets.groups.about')}</p>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <Notice icon="link" title={t('targets.groups.none')} />}
      {query.data && query.data.length > 0 && (
        <section className="card small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('targets.columns.name')}</th>
                <th scope="col">{t('targets.columns.about')}</th>
                <th scope="col">{t('targets.groups.patterns')}</th>
                <th scope="col" data-align="end">
                  {t('targets.columns.services')}
                </th>
                <td />
              </tr>
            </thead>
            <tbody>
              {query.data.map((group) => (
                <tr key={group.id} data-id={group.id}>
                  <td>
                    {manages ? (
                      <button type="button" className="link" onClick={() => setOpen({ group })}>
                        {group.name}
                      </button>
                    ) : (
                      group.name
                    )}
                  </td>
                  <td>{group.service_type_type}</td>
                  <td>{group.checkers.join(', ')}</td>
                  <td data-align="end">{count(group.services_count)}</td>
                  <td data-align="end">
                    {manages && (
                      <Button
                        look="plain"
                        iconOnly
                        icon="trash"
                        label={t('deleting.title', { name: group.name })}
                        onClick={() => setGone(group)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {gone && (
        <DeleteDialog
          name={gone.name}
          remove={(how) =>
            unwrap(api.DELETE('/api/v1/admin/promotable-checker-groups/{id}', initAt({ id: gone.id }, how)))
          }
          onClose={() => setGone(null)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['targets', 'groups'] })}
        />
      )}
      {open && <GroupForm group={open.group} onClose={() => setOpen(null)} />}
    </div>
  );
}

const GROUP = formOf<Schemas['CheckerGroupInput']>()({
  name: text,
  service_type_type: unlessEmpty(choiceOrNull(ServiceTypeKind)),
  checkers: lines,
});

function GroupForm({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(group ? 'targets.groups.edit' : 'targets.groups.create')}
      confirm={t('ui.save')}
      fields={[
        { name: 'name', label: t('targets.columns.name'), maxLength: 100 },
        {
          name: 'service_type_type',
          label: t('targets.columns.about'),
          options: (useTypes().data ?? []).map(({ type, label }) => ({ value: type, label })),
        },
        { name: 'checkers', label: t('targets.groups.patterns'), hint: t('targets.groups.patternsHint') },
      ]}
      spec={GROUP}
      initial={GROUP.valuesOf(group ?? {})}
      reload={group ? async () => GROUP.valuesOf(newestOf(group, await readGroups())) : undefined}
      send={({ values, base }, key) => {
        const body = GROUP.wholeOf(values, base);
        return unwrap(
          group
            ? api.PUT('/api/v1/admin/promotable-checker-groups/{id}', { params: { path: { id: group.id } }, body })
            : api.POST('/api/v1/admin/promotable-checker-groups', { body, ...keyed(key) }),
        );
      }}
      invalidates={[['targets', 'groups']]}
      onClose={onClose}
    />
  );
}
