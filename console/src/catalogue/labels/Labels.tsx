// The screen with the list of labels. Labels describe services.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { BooleanText } from '@/ui/cells';
import { Notice, ProblemBar } from '@/ui/Notice';
import { CatalogueTabs } from '../Tabs';
import { DeleteLabelDialog } from './DeleteLabelDialog';
import { LabelForm } from './LabelForm';

type LabelRow = Schemas['LabelRow'];
type LabelDialog = { kind: 'edit'; label: LabelRow | null } | { kind: 'delete'; label: LabelRow };

export default function Labels() {
  const { t } = useTranslation();
  const canManage = useHasPermission()('manage services and providers');
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<LabelDialog | null>(null);
  const labelsQuery = useQuery({
    queryKey: ['labels'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/services/labels'))).data,
  });
  const refetchLabelsAndServices = () => {
    void queryClient.invalidateQueries({ queryKey: ['labels'] });
    void queryClient.invalidateQueries({ queryKey: ['services'] });
  };
  const closeDialog = () => setDialog(null);
  return (
    <div className="record">
      <CatalogueTabs current="labels" />
      <div className="record-head">
        <h1 tabIndex={-1}>{t('labels.title')}</h1>
        <span className="grow" />
        {canManage && (
          <Button icon="plus" label={t('labels.create')} onClick={() => setDialog({ kind: 'edit', label: null })} />
        )}
      </div>
      {labelsQuery.error && (
        <ProblemBar problem={asProblem(labelsQuery.error)} onRetry={() => void labelsQuery.refetch()} />
      )}
      {labelsQuery.data?.length === 0 && <Notice icon="tag" title={t('labels.noLabels')} />}
      {labelsQuery.data && labelsQuery.data.length > 0 && (
        <section className="card small-scroll">
          <table className="small">
            <thead>
              <tr>
                <th scope="col">{t('labels.name')}</th>
                <th scope="col" data-align="end">
                  {t('labels.services')}
                </th>
                <th scope="col">{t('labels.customComments')}</th>
                <th scope="col">
                  <span className="sr">{t('labels.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {labelsQuery.data.map((label) => (
                <tr key={label.id} data-id={label.id}>
                  <td>
                    {label.icon && <img className="icon" src={label.icon} alt="" />} {label.name}
                  </td>
                  <td data-align="end">{formatNumber(label.services_count)}</td>
                  <td>
                    <BooleanText value={label.is_custom_comments} />
                  </td>
                  <td data-align="end">
                    {canManage && (
                      <>
                        <Button
                          variant="plain"
                          iconOnly
                          icon="pencil"
                          label={t('labels.editNamed', { name: label.name })}
                          onClick={() => setDialog({ kind: 'edit', label })}
                        />
                        <Button
                          variant="plain"
                          iconOnly
                          icon="trash"
                          label={t('labels.deleteNamed', { name: label.name })}
                          onClick={() => setDialog({ kind: 'delete', label })}
                        />
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {dialog?.kind === 'edit' && (
        <LabelForm label={dialog.label} onClose={closeDialog} onDone={refetchLabelsAndServices} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteLabelDialog label={dialog.label} onClose={closeDialog} onDone={refetchLabelsAndServices} />
      )}
    </div>
  );
}
