// The affiliates of a customer, each with the period in which the affiliate earns commission.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { id, time } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Card, SmallTable } from '@/ui/Card';
import { Flag, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { affiliateActions } from './actions';

type Affiliate = Schemas['Affiliate'];
type User = Schemas['User'];

export function Affiliates({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ current: Affiliate | null } | null>(null);
  const [removing, setRemoving] = useState<Affiliate | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'affiliates', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/affiliates', { params: { path: { id: user.id } } }))).data,
  });
  const refresh = () => void queries.invalidateQueries({ queryKey: ['users'] });
  const actions = useMemo(() => affiliateActions(user.id), [user.id]);
  const canEdit = user.actions.editable;
  return (
    <Card
      title={t('users.affiliates.title')}
      aside={
        canEdit && <Button icon="plus" label={t('users.affiliates.add')} onClick={() => setForm({ current: null })} />
      }
    >
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      {data && (
        <SmallTable
          label={t('users.affiliates.title')}
          rows={data}
          rowKey={(row) => row.id}
          empty={t('users.affiliates.none')}
          columns={[
            { title: t('users.columns.affiliate'), cell: (row) => <UserLink user={{ ...row, id: row.user_id }} /> },
            { title: t('users.columns.email'), cell: (row) => row.email },
            { title: t('users.affiliates.from'), cell: (row) => <DateTime at={row.started_at} /> },
            { title: t('users.affiliates.until'), cell: (row) => <DateTime at={row.ended_at} /> },
            { title: t('users.affiliates.now'), cell: (row) => <Flag on={row.is_current} /> },
            ...(canEdit
              ? [
                  {
                    title: '',
                    align: 'end' as const,
                    cell: (row: Affiliate) => (
                      <RowButtons
                        edit={{
                          label: t('users.affiliates.edit', { name: row.name }),
                          onClick: () => setForm({ current: row }),
                        }}
                        remove={{
                          label: t('users.affiliates.remove', { name: row.name }),
                          onClick: () => setRemoving(row),
                        }}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {form && <AffiliateForm user={user} current={form.current} onClose={() => setForm(null)} onChanged={refresh} />}
      {removing && actions[0] && (
        <ActionDialog
          action={actions[0]}
          ids={[removing.id]}
          row={removing}
          onClose={() => setRemoving(null)}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

const AFFILIATE = defineForm<Schemas['AffiliateInput']>()({
  affiliate_id: orDefault(id, 0),
  started_at: time,
  ended_at: time,
});

interface FormProps {
  user: User;
  current: Affiliate | null;
  onClose: () => void;
  onChanged: () => void;
}

function AffiliateForm({ user, current, onClose, onChanged }: FormProps) {
  const { t } = useTranslation();
  const [affiliate, setAffiliate] = useState<UserHit | null>(current ? { ...current, id: current.user_id } : null);
  const title = current ? t('users.affiliates.edit', { name: current.name }) : t('users.affiliates.add');
  return (
    <FormDialog
      title={title}
      confirm={current ? t('ui.save') : t('users.affiliates.add')}
      fields={[
        {
          name: 'affiliate_id',
          label: t('users.columns.affiliate'),
          render: ({ id, onChange, invalid }) => (
            <UserPicker
              id={id}
              label={t('users.columns.affiliate')}
              value={affiliate}
              invalid={invalid}
              onChange={(hit) => {
                setAffiliate(hit);
                onChange(hit ? String(hit.id) : '');
              }}
            />
          ),
        },
        { name: 'started_at', label: t('users.affiliates.from'), hint: t('users.affiliates.fromHint') },
        { name: 'ended_at', label: t('users.affiliates.until'), hint: t('users.affiliates.untilHint') },
      ]}
      spec={AFFILIATE}
      initial={AFFILIATE.toValues({
        affiliate_id: current?.user_id ?? null,
        started_at: current?.started_at ?? null,
        ended_at: current?.ended_at ?? null,
      })}
      send={async ({ values }, key) => {
        const body = AFFILIATE.toBody(values);
        const path = { id: user.id };
        if (current) {
          const params = { path: { ...path, affiliate_id: current.id } };
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
