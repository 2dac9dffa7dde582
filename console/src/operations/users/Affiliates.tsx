// Who brought a customer, and from when to when that counts.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { asProblem } from '@/api/problem';
import { or } from '@/form/codec';
import { id, time } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { ActionDialog } from '@/table/ActionDialog';
import { Button } from '@/ui/Button';
import { Flag, UserLink } from '@/ui/cells';
import { Panel, SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { RowButtons } from '@/ui/RowButtons';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { When } from '@/ui/When';
import { affiliateActions } from './actions';

type Affiliate = Schemas['Affiliate'];
type User = Schemas['User'];

export function Affiliates({ user }: { user: User }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [form, setForm] = useState<{ old: Affiliate | null } | null>(null);
  const [removed, setRemoved] = useState<Affiliate | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'affiliates', user.id],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/users/{id}/affiliates', { params: { path: { id: user.id } } }))).data,
  });
  const changed = () => void queries.invalidateQueries({ queryKey: ['users'] });
  const actions = useMemo(() => affiliateActions(user.id), [user.id]);
  const mayEdit = user.actions.editable;
  return (
    <Panel
      title={t('users.affiliates.title')}
      aside={mayEdit && <Button icon="plus" label={t('users.affiliates.add')} onClick={() => setForm({ old: null })} />}
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
            { title: t('users.affiliates.from'), cell: (row) => <When at={row.started_at} /> },
            { title: t('users.affiliates.until'), cell: (row) => <When at={row.ended_at} /> },
            { title: t('users.affiliates.now'), cell: (row) => <Flag on={row.is_current} /> },
            ...(mayEdit
              ? [
                  {
                    title: '',
                    align: 'end' as const,
                    cell: (row: Affiliate) => (
                      <RowButtons
                        edit={{
                          label: t('users.affiliates.edit', { name: row.name }),
                          onClick: () => setForm({ old: row }),
                        }}
                        remove={{
                          label: t('users.affiliates.remove', { name: row.name }),
                          onClick: () => setRemoved(row),
                        }}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {form && <AffiliateForm user={user} old={form.old} onClose={() => setForm(null)} onChanged={changed} />}
      {removed && actions[0] && (
        <ActionDialog
          action={actions[0]}
          ids={[removed.id]}
          row={removed}
          onClose={() => setRemoved(null)}
          onDone={changed}
        />
      )}
    </Panel>
  );
}

const AFFILIATE = formOf<Schemas['AffiliateInput']>()({ affiliate_id: or(id, 0), started_at: time, ended_at: time });

interface FormProps {
  user: User;
  old: Affiliate | null;
  onClose: () => void;
  onChanged: () => void;
}

function AffiliateForm({ user, old, onClose, onChanged }: FormProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<UserHit | null>(old ? { ...old, id: old.user_id } : null);
  const title = old ? t('users.affiliates.edit', { name: old.name }) : t('users.affiliates.add');
  return (
    <FormDialog
      title={title}
      confirm={old ? t('ui.save') : t('users.affiliates.add')}
      fields={[
        {
          name: 'affiliate_id',
          label: t('users.columns.affiliate'),
          draw: ({ id, onChange, invalid }) => (
            <UserPicker
              id={id}
              label={t('users.columns.affiliate')}
              value={chosen}
              invalid={invalid}
              onChange={(hit) => {
                setChosen(hit);
                onChange(hit ? String(hit.id) : '');
              }}
            />
          ),
        },
        { name: 'started_at', label: t('users.affiliates.from'), hint: t('users.affiliates.fromHint') },
        { name: 'ended_at', label: t('users.affiliates.until'), hint: t('users.affiliates.untilHint') },
      ]}
      spec={AFFILIATE}
      initial={AFFILIATE.valuesOf({
        affiliate_id: old?.user_id ?? null,
        started_at: old?.started_at ?? null,
        ended_at: old?.ended_at ?? null,
      })}
      send={async ({ values }, key) => {
        const body = AFFILIATE.wholeOf(values);
        const path = { id: user.id };
        if (old) {
          const params = { path: { ...path, affiliate_id: old.id } };
          await unwrap(api.PUT('/api/v1/admin/users/{id}/affiliates/{affiliate_id}', { params, body }));
        } else {
          await unwrap(api.POST('/api/v1/admin/users/{id}/affiliates', { params: { path }, body, ...keyed(key) }));
        }
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
