// The first tab of a customer's page: identity, balances, grade and account manager.
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatPercent } from '@/i18n/format';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText, UserLink } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { useDiscount } from './forms';
import { Loyalty } from './Loyalty';

type User = Schemas['User'];

export function Overview({ user }: { user: User }) {
  return (
    <div className="record-grid">
      <Profile user={user} />
      <Balances user={user} />
      <Loyalty user={user} />
      <AccountManagement user={user} />
    </div>
  );
}

function Balances({ user }: { user: User }) {
  const { t } = useTranslation();
  const { data: discount } = useDiscount(user.id);
  return (
    <Card title={t('users.money')}>
      <DescriptionList
        rows={[
          [t('users.columns.balance'), <strong key="balance">{formatMoney(user.balance)}</strong>],
          [t('users.taskBalance'), formatMoney(user.task_user_balance)],
          [t('users.referralBalance'), formatMoney(user.referral_user_balance)],
          [t('users.heldAmount'), <HeldAmount key="held" user={user} />],
          [t('users.columns.spent'), formatMoney(user.spent)],
          [
            t('users.discount'),
            discount && discount.discount_fraction !== '0'
              ? `${formatPercent(fractionToPercent(discount.discount_fraction))} · ${t(`discountType.${discount.type}`)}`
              : null,
          ],
          [t('users.columns.customPrices'), <BooleanText key="on" value={user.user_service_exists} />],
        ]}
      />
    </Card>
  );
}

const HOLD_PATHS = { withdrawal: 'withdrawals', drip_feed: 'drip-feeds', subscription: 'subscriptions' } as const;

/** The amount on hold, with a link to each withdrawal, drip-feed and subscription that holds a part of the amount. */
function HeldAmount({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <>
      {formatMoney(user.held_amount)}
      {user.holds?.map(({ kind, id, amount }) => (
        <div key={`${kind} ${id}`}>
          <Link
            href={kind === 'subscription' ? `/subscriptions/${id}` : `/users/${user.id}/${HOLD_PATHS[kind]}?id=${id}`}
          >
            {t(`users.holds.${kind}`, { id, amount: formatMoney(amount) })}
          </Link>
        </div>
      ))}
    </>
  );
}

function AccountManagement({ user }: { user: User }) {
  const { t } = useTranslation();
  const referralFraction = user.referral_program_fraction;
  return (
    <Card title={t('users.accountManagement')}>
      <DescriptionList
        rows={[
          [t('users.columns.manager'), user.manager && <UserLink key="user" user={user.manager} />],
          [t('users.salesStatus'), user.seller_status && t(`sellerStatus.${user.seller_status}`)],
          [
            t('users.contactStep'),
            user.contact_step && t(`contactStep.${user.contact_step as 'call'}`, { defaultValue: user.contact_step }),
          ],
          [t('users.columns.affiliate'), user.affiliate && <UserLink key="user" user={user.affiliate} />],
          [t('users.columns.affiliateCode'), user.affiliate_code],
          [
            t('users.referralPercent'),
            referralFraction ? formatPercent(fractionToPercent(referralFraction)) : t('users.panelDefault'),
          ],
          [t('users.marketingSubid'), user.marketing_subid],
          [t('users.notifyOrders'), <BooleanText key="on" value={user.notify_orders} />],
          [t('users.notifyPayments'), <BooleanText key="on" value={user.notify_payments} />],
          [t('users.roles'), user.roles.map((role) => role.name).join(', ')],
          [t('users.permissions'), user.permissions.map((permission) => permission.name).join(', ')],
        ]}
      />
    </Card>
  );
}

function Profile({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <Card title={t('users.profile')}>
      <DescriptionList
        rows={[
          [t('users.columns.id'), user.id],
          [
            t('users.accountType'),
            t(`users.accountTypes.${user.account_type as 'seller'}`, { defaultValue: user.account_type }),
          ],
          [
            t('users.columns.email'),
            <span key="email" className="with-copy wraps">
              <span>{user.email}</span>
              <CopyButton text={user.email} />
            </span>,
          ],
          [t('users.columns.telegram'), user.telegram_username && `@${user.telegram_username}`],
          [t('users.messengers'), user.messengers.map(({ name, value }) => `${name}: ${value}`).join(', ')],
          [t('users.company'), user.company_name],
          [t('users.address'), user.company_address],
          [t('users.website'), user.company_site],
          [t('users.vat'), user.vat],
          [t('users.additionalInfo'), user.additional_info],
          [t('users.columns.createdAt'), <DateTime key="at" time={user.created_at} />],
          [t('users.frozenAt'), user.frozen_at && <DateTime key="at" time={user.frozen_at} />],
          [t('users.deactivatedAt'), user.deactivated_at && <DateTime key="at" time={user.deactivated_at} />],
          ...(user.erasure_requested_at
            ? [
                [t('users.personalData.requestedAt'), <DateTime key="at" time={user.erasure_requested_at} />] as const,
                [
                  t('users.personalData.erasedAt'),
                  user.erased_at && <DateTime key="at" time={user.erased_at} />,
                ] as const,
              ]
            : []),
        ]}
      />
    </Card>
  );
}
