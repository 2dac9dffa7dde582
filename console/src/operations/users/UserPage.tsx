// One customer: what can be done to them, and the parts of what is known about them.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { useMay } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { ManualPayment } from '../payments/ManualPayment';
import { GrantsForm } from '../staff/forms';
import { USER_ACTIONS } from './actions';
import { DiscountForm, ProfileForm, readUser, SellerForm, useDiscount } from './forms';
import { EraseDialog, ExportData } from './personalData';
import { PARTS } from './tabs';

type User = Schemas['User'];

export default function UserPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/users', text: t('users.title') }}>
      {(user) => <Shown user={user} tab={params.tab ?? ''} />}
    </RecordPage>
  );
}

function Shown({ user, tab }: { user: User; tab: string }) {
  const may = useMay();
  const parts = useMemo(() => PARTS.filter((part) => may(...part.permissions)), [may]);
  const part = parts.find((part) => part.name === tab) ?? parts[0];
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{user.name}</h1>
        <CopyButton text={String(user.id)} />
        <StatusTag status={user.status} />
      </div>
      <Actions user={user} />
      <Tabs base={`/users/${user.id}`} tabs={parts} now={part?.name ?? ''} />
      {part && <part.Draw user={user} />}
    </>
  );
}

type Dialog = 'profile' | 'seller' | 'discount' | 'payment' | 'grants' | 'erase';

function Actions({ user }: { user: User }) {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  const { data: discount } = useDiscount(user.id);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const changed = () => void queries.invalidateQueries({ queryKey: ['users'] });
  const paid = () => {
    changed();
    void queries.invalidateQueries({ queryKey: ['transactions'] });
  };
  const granted = () => {
    changed();
    for (const key of ['staff', 'roles']) void queries.invalidateQueries({ queryKey: [key] });
  };
  const given = { user, onClose: () => setDialog(null), onChanged: changed };
  return (
    <div className="record-actions">
      {user.actions.editable && (
        <>
          <Button icon="pencil" label={t('users.edit')} onClick={() => setDialog('profile')} />
          <Button icon="user" label={t('users.setSeller')} onClick={() => setDialog('seller')} />
          <Button icon="percentage" label={t('users.setDiscount')} onClick={() => setDialog('discount')} />
        </>
      )}
      {may('manage finances') && (
        <Button icon="wallet" label={t('payments.create')} onClick={() => setDialog('payment')} />
      )}
      {user.actions.grantable && <Button icon="key" label={t('staff.grants')} onClick={() => setDialog('grants')} />}
      <RecordActions row={user} actions={USER_ACTIONS} plain onDone={changed} />
      {user.actions.data_exportable && <ExportData user={user} />}
      {user.actions.erasable && (
        <Button icon="eraser" tone="danger" label={t('users.personalData.erase')} onClick={() => setDialog('erase')} />
      )}
      {dialog === 'profile' && <ProfileForm {...given} />}
      {dialog === 'grants' && (
        <GrantsForm who={user} read={() => readUser(user.id)} onClose={given.onClose} onDone={granted} />
      )}
      {dialog === 'seller' && <SellerForm {...given} />}
      {dialog === 'discount' && discount && <DiscountForm {...given} discount={discount} />}
      {dialog === 'erase' && <EraseDialog user={user} onClose={given.onClose} onDone={changed} />}
      {dialog === 'payment' && <ManualPayment userId={user.id} onClose={given.onClose} onDone={paid} />}
    </div>
  );
}
