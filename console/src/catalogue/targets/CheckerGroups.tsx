// The screen with the list of checker groups. A checker group is a set of patterns that the URL of an order must match.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ServiceTypeKind } from '@/api/enums';
import { asProblem } from '@/api/problem';
import { createWriteOptionsWithPath, withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { enumOrNullCodec, linesCodec, textCodec } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { findLatestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Notice, ProblemBar } from '@/ui/Notice';
import { useServiceTypeKinds } from '../networks/forms';
import { type CheckerGroup, fetchCheckerGroups, useCheckerGroups } from './requests';
import { TargetTabs } from './Tabs';

export default function CheckerGroups() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage targets');
  const query = useCheckerGroups();
  const [openForm, setOpenForm] = useState<{ group: CheckerGroup | null } | null>(null);
  const [groupToDelete, setGroupToDelete] = useState<CheckerGroup | null>(null);
  const queryClient = useQueryClient();
  return (
    <div className="record">
      <TargetTabs current="groups" />
      <div className="record-head">
        <h1 tabIndex={-1}>{t('targets.groups.title')}</h1>
        <span className="grow" />
        {canManage && (
          <Button icon="plus" label={t('targets.groups.create')} onClick={() => setOpenForm({ group: null })} />
        )}
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
                    {canManage ? (
                      <button type="button" className="link" onClick={() => setOpenForm({ group })}>
                        {group.name}
                      </button>
                    ) : (
                      group.name
                    )}
                  </td>
                  <td>{group.service_type_type}</td>
                  <td>{group.checkers.join(', ')}</td>
                  <td data-align="end">{formatNumber(group.services_count)}</td>
                  <td data-align="end">
                    {canManage && (
                      <Button
                        variant="plain"
                        iconOnly
                        icon="trash"
                        label={t('deleteDialog.title', { name: group.name })}
                        onClick={() => setGroupToDelete(group)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {groupToDelete && (
        <DeleteDialog
          name={groupToDelete.name}
          deleteRecord={(options) =>
            unwrap(
              api.DELETE(
                '/api/v1/admin/promotable-checker-groups/{id}',
                createWriteOptionsWithPath({ id: groupToDelete.id }, options),
              ),
            )
          }
          onClose={() => setGroupToDelete(null)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['targets', 'groups'] })}
        />
      )}
      {openForm && <CheckerGroupForm group={openForm.group} onClose={() => setOpenForm(null)} />}
    </div>
  );
}

const CHECKER_GROUP_FORM = defineForm<Schemas['CheckerGroupInput']>()({
  name: textCodec,
  service_type_type: omitIfEmpty(enumOrNullCodec(ServiceTypeKind)),
  checkers: linesCodec,
});

function CheckerGroupForm({ group, onClose }: { group: CheckerGroup | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(group ? 'targets.groups.edit' : 'targets.groups.create')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'name', label: t('targets.columns.name'), maxLength: 100 },
        {
          name: 'service_type_type',
          label: t('targets.columns.about'),
          options: (useServiceTypeKinds().data ?? []).map(({ type, label }) => ({ value: type, label })),
        },
        { name: 'checkers', label: t('targets.groups.patterns'), hint: t('targets.groups.patternsHint') },
      ]}
      spec={CHECKER_GROUP_FORM}
      initialValues={CHECKER_GROUP_FORM.toValues(group ?? {})}
      reload={
        group ? async () => CHECKER_GROUP_FORM.toValues(findLatestRow(group, await fetchCheckerGroups())) : undefined
      }
      send={({ values, base }, idempotencyKey) => {
        const body = CHECKER_GROUP_FORM.toBody(values, base);
        return unwrap(
          group
            ? api.PUT('/api/v1/admin/promotable-checker-groups/{id}', { params: { path: { id: group.id } }, body })
            : api.POST('/api/v1/admin/promotable-checker-groups', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      invalidatedQueries={[['targets', 'groups']]}
      onClose={onClose}
    />
  );
}
