// The dialogs that change one user: profile, manager, discount. What is sent is what was changed.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { fractionOf, percentOf } from '@/ui/fraction';
import { STEPS, useSellers } from './BulkForm';
import { sellerChange } from './seller';

type User = Schemas['User'];
type Values = Record<string, string>;

interface Props {
  user: User;
  onClose: () => void;
  onChanged: () => void;
}

const PATH = '/api/v1/admin/users/{id}';

/** Fields that are a text or nothing. */
const TEXTS = [
  'telegram_username',
  'company_name',
  'company_address',
  'company_site',
  'vat',
  'additional_info',
  'affiliate_code',
  'marketing_subid',
] as const;
const FLAGS = ['notify_orders', 'notify_payments'] as const;

const messengersOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const at = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, at)).trim(), value: line.slice(at + 1).trim() };
    });

function before(user: User): Values {
  return {
    name: user.name,
    email: user.email,
    updated_at: user.updated_at,
    ...Object.fromEntries(TEXTS.map((name) => [name, user[name] ?? ''])),
    ...Object.fromEntries(FLAGS.map((name) => [name, user[name] ? 'yes' : ''])),
    messengers: user.messengers.map((one) => `${one.name}: ${one.value}`).join('\n'),
    referral_program_percent:
      user.referral_program_percent === null || user.referral_program_percent === undefined
        ? ''
        : percentOf(user.referral_program_percent),
  };
}

/** The body of a change: what differs, as the wire has it. */
export function changedProfile(was: Values, now: Values): Record<string, unknown> {
  const body: Record<string, unknown> = { updated_at: was.updated_at };
  for (const [name, value = ''] of Object.entries(now)) {
    if (value === was[name]) continue;
    if ((FLAGS as readonly string[]).includes(name)) body[name] = value === 'yes';
    else if (name === 'messengers') body[name] = messengersOf(value);
    else if (name === 'referral_program_percent') body[name] = value.trim() ? fractionOf(value) : null;
    else if ((TEXTS as readonly string[]).includes(name)) body[name] = value.trim() || null;
    else body[name] = value;
  }
  return body;
}

export function ProfileForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    { name: 'name', label: t('users.columns.name'), maxLength: 100 },
    { name: 'email', label: t('users.columns.email'), maxLength: 254 },
    { name: 'telegram_username', label: t('users.columns.telegram'), maxLength: 33 },
    { name: 'messengers', label: t('users.messengers'), mode: 'long', hint: t('users.messengersHint') },
    { name: 'company_name', label: t('users.company'), maxLength: 200 },
    { name: 'company_address', label: t('users.address'), maxLength: 500 },
    { name: 'company_site', label: t('users.site'), mode: 'url', maxLength: 500 },
    { name: 'vat', label: t('users.vat'), maxLength: 50 },
    { name: 'affiliate_code', label: t('users.columns.affiliateCode'), maxLength: 32 },
    {
      name: 'referral_program_percent',
      label: t('users.referralPercent'),
      mode: 'decimal',
      hint: t('users.referralHint'),
    },
    { name: 'marketing_subid', label: t('users.subid'), maxLength: 200 },
    { name: 'additional_info', label: t('users.info'), mode: 'long', maxLength: 5000 },
    { name: 'notify_orders', label: t('users.notifyOrders'), mode: 'tick' },
    { name: 'notify_payments', label: t('users.notifyPayments'), mode: 'tick' },
  ];
  return (
    <FormDialog
      title={t('users.edit')}
      confirm={t('ui.save')}
      fields={fields}
      initial={before(user)}
      reload={async () => before(await readUser(user.id))}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = changedProfile(was, values) as Schemas['UserInput'];
        await told(api.PATCH(PATH, { params: { path: { id: user.id } }, body }));
        onChanged();
      }}
    />
  );
}

/** The record as it is now, for whoever typed on top of an older one. */
export const readUser = async (id: number) => (await told(api.GET(PATH, { params: { path: { id } } }))).data;

const SELLER_STATUSES = ['new', 'in_progress', 'paid', 'cancel'] as const satisfies readonly Schemas['SellerStatus'][];

const sellerOf = (user: User): Values => ({
  updated_at: user.updated_at,
  seller_id: user.seller_id ? String(user.seller_id) : '',
  seller_status: user.seller_status ?? '',
  contact_step: user.contact_step ?? '',
});

export function SellerForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const sellers = useSellers();
  // One who no longer looks after customers stays theirs until another is chosen.
  const own = user.manager && !sellers.some((seller) => seller.id === user.manager?.id) ? [user.manager] : [];
  const none = { value: '', label: t('users.nobody') };
  return (
    <FormDialog
      title={t('users.setSeller')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'seller_id',
          label: t('users.columns.manager'),
          options: [none, ...[...own, ...sellers].map((seller) => ({ value: String(seller.id), label: seller.name }))],
        },
        {
          name: 'seller_status',
          label: t('users.sellerStatus'),
          options: [
            { value: '', label: t('users.noStep') },
            ...SELLER_STATUSES.map((value) => ({ value, label: t(`sellerStatus.${value}`) })),
          ],
        },
        {
          name: 'contact_step',
          label: t('users.contactStep'),
          options: [
            { value: '', label: t('users.noStep') },
            ...STEPS.map((value) => ({ value, label: t(`contactStep.${value}`) })),
          ],
        },
      ]}
      initial={sellerOf(user)}
      reload={async () => sellerOf(await readUser(user.id))}
      onClose={onClose}
      onSave={async (values, was) => {
        const change = sellerChange(was, values);
        if (Object.keys(change).length === 0) return;
        const body = { ...change, updated_at: was.updated_at } as Schemas['SellerInput'];
        await told(api.POST('/api/v1/admin/users/{id}/update-seller', { params: { path: { id: user.id } }, body }));
        onChanged();
      }}
    />
  );
}

/** A user's own discount. */
export function useDiscount(id: number) {
  return useQuery({
    queryKey: ['users', 'discount', id],
    queryFn: () => readDiscount(id),
  });
}

const DISCOUNT_TYPES = ['orders', 'packages', 'all'] as const satisfies readonly Schemas['DiscountType'][];

const readDiscount = async (id: number) =>
  (await told(api.GET('/api/v1/admin/users/{id}/user-discount', { params: { path: { id } } }))).data;

const discountOf = (user: User, discount: Schemas['UserDiscount']): Values => ({
  updated_at: user.updated_at,
  percent: percentOf(discount.percent),
  type: discount.type,
});

export function DiscountForm({ user, discount, onClose, onChanged }: Props & { discount: Schemas['UserDiscount'] }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.setDiscount')}
      confirm={t('ui.save')}
      fields={[
        { name: 'percent', label: t('users.discount'), mode: 'decimal', hint: t('users.discountHint') },
        {
          name: 'type',
          label: t('users.discountOff'),
          options: DISCOUNT_TYPES.map((value) => ({ value, label: t(`discountType.${value}`) })),
        },
      ]}
      initial={discountOf(user, discount)}
      reload={async () => discountOf(await readUser(user.id), await readDiscount(user.id))}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = {
          percent: fractionOf(values.percent ?? '') || '0',
          type: values.type as Schemas['DiscountType'],
          updated_at: was.updated_at ?? null,
        };
        await told(api.POST('/api/v1/admin/users/{id}/user-discount', { params: { path: { id: user.id } }, body }));
        onChanged();
      }}
    />
  );
}
