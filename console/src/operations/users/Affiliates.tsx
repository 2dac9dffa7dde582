// The affiliates of a customer. An affiliate earns commission on the orders of the customer within a period.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { idCodec, timeCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { BooleanText, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { SimpleTable } from '@/ui/SimpleTable';
import { UserPicker, type UserSearchResult } from '@/ui/UserPicker';
import { createRemoveAffiliateAction } from './actions';

type Affiliate = Schemas['Affiliate'];
type User = Schemas['User'];

export function Affiliates({ user }: { user: User }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The affiliate in the dialog; 'new' for a new affiliate, null if the dialog is closed.
  const [dialogAffiliate, setDialogAffiliate] = useState<Affiliate | 'new' | null>(null);
  const [affiliateToRemove, setAffiliateToRemove] = useState<Affiliate | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'affiliates', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/affiliates', { params: { path: { id: user.id } } }))).data,
  });
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['users'] });
  const removeAction = useMemo(() => createRemoveAffiliateAction(user.id), [user.id]);
  const canEdit = user.actions.editable;
  return (
    <Card
      title={t('users.affiliates.title')}
      headerActions={
        canEdit && <Button icon="plus" label={t('users.affiliates.add')} onClick={() => setDialogAffiliate('new')} />
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && (
        <SimpleTable
          label={t('users.affiliates.title')}
          rows={data}
          getRowKey={(row) => row.id}
          emptyText={t('users.affiliates.noAffiliates')}
          columns={[
            {
              title: t('users.columns.affiliate'),
              renderCell: (row) => <UserLink user={{ ...row, id: row.user_id }} />,
            },
            { title: t('users.columns.email'), renderCell: (row) => row.email },
            { title: t('users.affiliates.startedAt'), renderCell: (row) => <DateTime time={row.started_at} /> },
            { title: t('users.affiliates.endedAt'), renderCell: (row) => <DateTime time={row.ended_at} /> },
            { title: t('users.affiliates.isActive'), renderCell: (row) => <BooleanText value={row.is_current} /> },
            ...(canEdit
              ? [
                  {
                    title: '',
                    align: 'end' as const,
                    renderCell: (row: Affiliate) => (
                      <RowButtons
                        editButton={{
                          label: t('users.affiliates.edit', { name: row.name }),
                          onClick: () => setDialogAffiliate(row),
                        }}
                        deleteButton={{
                          label: t('users.affiliates.remove', { name: row.name }),
                          onClick: () => setAffiliateToRemove(row),
                        }}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {dialogAffiliate && (
        <AffiliateForm
          user={user}
          affiliate={dialogAffiliate === 'new' ? null : dialogAffiliate}
          onClose={() => setDialogAffiliate(null)}
          onChanged={refresh}
        />
      )}
      {affiliateToRemove && (
        <ActionDialog
          action={removeAction}
          ids={[affiliateToRemove.id]}
          row={affiliateToRemove}
          onClose={() => setAffiliateToRemove(null)}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

const AFFILIATE_FORM = defineForm<Schemas['AffiliateInput']>()({
  affiliate_id: orDefault(idCodec, 0),
  started_at: timeCodec,
  ended_at: timeCodec,
});

interface AffiliateFormProps {
  user: User;
  /** Null adds an affiliate. */
  affiliate: Affiliate | null;
  onClose: () => void;
  onChanged: () => void;
}

function AffiliateForm({ user, affiliate, onClose, onChanged }: AffiliateFormProps) {
  const { t } = useTranslation();
  const [selectedUser, setSelectedUser] = useState<UserSearchResult | null>(
    affiliate ? { ...affiliate, id: affiliate.user_id } : null,
  );
  const title = affiliate ? t('users.affiliates.edit', { name: affiliate.name }) : t('users.affiliates.add');
  return (
    <FormDialog
      title={title}
      confirmLabel={affiliate ? t('ui.save') : t('users.affiliates.add')}
      fields={[
        {
          name: 'affiliate_id',
          label: t('users.columns.affiliate'),
          render: ({ id, onChange, invalid }) => (
            <UserPicker
              id={id}
              label={t('users.columns.affiliate')}
              value={selectedUser}
              invalid={invalid}
              onChange={(newUser) => {
                setSelectedUser(newUser);
                onChange(newUser ? String(newUser.id) : '');
              }}
            />
          ),
        },
        { name: 'started_at', label: t('users.affiliates.startedAt'), hint: t('users.affiliates.startedAtHint') },
        { name: 'ended_at', label: t('users.affiliates.endedAt'), hint: t('users.affiliates.endedAtHint') },
      ]}
      spec={AFFILIATE_FORM}
      initialValues={AFFILIATE_FORM.toValues({
        affiliate_id: affiliate?.user_id ?? null,
        started_at: affiliate?.started_at ?? null,
        ended_at: affiliate?.ended_at ?? null,
      })}
      send={async ({ values }, key) => {
        const body = AFFILIATE_FORM.toBody(values);
        const path = { id: user.id };
        if (affiliate) {
          const params = { path: { ...path, affiliate_id: affiliate.id } };
          await unwrap(api.PUT('/api/v1/admin/users/{id}/affiliates/{affiliate_id}', { params, body }));
        } else {
          const request = { params: { path }, body, ...withIdempotencyKey(key) };
          await unwrap(api.POST('/api/v1/admin/users/{id}/affiliates', request));
        }
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
