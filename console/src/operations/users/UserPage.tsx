// One customer, to read: who they are, their money, what they may do.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { count, money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { CopyButton } from '@/ui/Copy';
import { Flag, UserLink } from '@/ui/cells';
import { Facts, Panel } from '@/ui/Facts';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';

export default function UserPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: async () => (await told(api.GET('/api/v1/admin/users/{id}', { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/users', text: t('users.title') }}>
      {(user) => <Shown user={user} />}
    </RecordPage>
  );
}

function Shown({ user }: { user: Schemas['User'] }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <>
      <div className="record-head">
        <h1 tabIndex={-1}>{user.name}</h1>
        <StatusTag status={user.status} />
        <span className="grow" />
        {may('view orders') && (
          <Link className="button button-quiet" href={`/orders?user.id=${user.id}`}>
            <i className="pi pi-shopping-cart" aria-hidden />
            <span>{t('users.orders', { count: user.orders_count, shown: count(user.orders_count) })}</span>
          </Link>
        )}
        {may('view finances') && (
          <Link className="button button-quiet" href={`/transactions?user.id=${user.id}`}>
            <i className="pi pi-wallet" aria-hidden />
            <span>{t('payments.title')}</span>
          </Link>
        )}
      </div>
      <div className="record-grid">
        <Person user={user} />
        <Panel title={t('users.money')}>
          <Facts
            rows={[
              [t('users.columns.balance'), <strong key="balance">{money(user.balance)}</strong>],
              [t('users.taskBalance'), money(user.task_user_balance)],
              [t('users.referralBalance'), money(user.referral_user_balance)],
              [t('users.held'), money(user.held)],
              [t('users.columns.spent'), money(user.spent)],
              [t('users.columns.grade'), user.grade?.name],
              [t('users.columns.customPrices'), <Flag key="on" on={user.user_service_exists} />],
            ]}
          />
        </Panel>
        <Panel title={t('users.care')}>
          <Facts
            rows={[
              [t('users.columns.manager'), user.manager && <UserLink key="user" user={user.manager} />],
              [t('users.columns.affiliate'), user.affiliate && <UserLink key="user" user={user.affiliate} />],
              [t('users.columns.affiliateCode'), user.affiliate_code],
              [t('users.contactStep'), user.contact_step],
              [t('users.subid'), user.marketing_subid],
              [t('users.roles'), user.roles.map((role) => role.name).join(', ')],
              [t('users.permissions'), user.permissions.map((permission) => permission.name).join(', ')],
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

function Person({ user }: { user: Schemas['User'] }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('users.person')}>
      <Facts
        rows={[
          [t('users.columns.id'), user.id],
          [
            t('users.columns.email'),
            <span key="email" className="with-copy wraps">
              <span>{user.email}</span>
              <CopyButton text={user.email} />
            </span>,
          ],
          [t('users.columns.telegram'), user.telegram_username && `@${user.telegram_username}`],
          [t('users.messengers'), user.messengers.map((one) => `${one.name}: ${one.value}`).join(', ')],
          [t('users.company'), user.company_name],
          [t('users.address'), user.company_address],
          [t('users.site'), user.company_site],
          [t('users.vat'), user.vat],
          [t('users.info'), user.additional_info],
          [t('users.columns.createdAt'), <When key="at" at={user.created_at} />],
          [t('users.frozenAt'), user.frozen_at && <When key="at" at={user.frozen_at} />],
          [t('users.deactivatedAt'), user.deactivated_at && <When key="at" at={user.deactivated_at} />],
        ]}
      />
    </Panel>
  );
}
