// The dialogs that edit one user: profile, account manager and discount.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep, DiscountType, SellerStatus } from '@/api/words';
import { type Codec, orDefault } from '@/form/codec';
import { checkbox, choice, choiceOrNull, id, parseLines, percent, text, trimmedOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useSellers } from './BulkForm';

type User = Schemas['User'];

interface Props {
  user: User;
  onClose: () => void;
  onChanged: () => void;
}

const PATH = '/api/v1/admin/users/{id}';

/** One messenger per line: `Telegram: @anna`. */
const messengers: Codec<Schemas['Messenger'][]> = {
  mode: 'long',
  format: (all) => (all ?? []).map(({ name, value }) => `${name}: ${value}`).join('\n'),
  parse: (text) =>
    parseLines(text).map((line) => {
      const at = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, at)).trim(), value: line.slice(at + 1).trim() };
    }),
  equal: (a, b) => a === b,
};

export const PROFILE = defineForm<Schemas['UserInput']>()({
  name: text,
  email: text,
  telegram_username: trimmedOrNull,
  messengers,
  company_name: trimmedOrNull,
  company_address: trimmedOrNull,
  company_site: trimmedOrNull,
  vat: trimmedOrNull,
  affiliate_code: trimmedOrNull,
  referral_program_percent: percent,
  marketing_subid: trimmedOrNull,
  additional_info: trimmedOrNull,
  notify_orders: checkbox,
  notify_payments: checkbox,
});

export function ProfileForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    { name: 'name', label: t('users.columns.name'), maxLength: 100 },
    { name: 'email', label: t('users.columns.email'), maxLength: 254 },
    { name: 'telegram_username', label: t('users.columns.telegram'), maxLength: 33 },
    { name: 'messengers', label: t('users.messengers'), hint: t('users.messengersHint') },
    { name: 'company_name', label: t('users.company'), maxLength: 200 },
    { name: 'company_address', label: t('users.address'), maxLength: 500 },
    { name: 'company_site', label: t('users.site'), mode: 'url', maxLength: 500 },
    { name: 'vat', label: t('users.vat'), maxLength: 50 },
    { name: 'affiliate_code', label: t('users.columns.affiliateCode'), maxLength: 32 },
    { name: 'referral_program_percent', label: t('users.referralPercent'), hint: t('users.referralHint') },
    { name: 'marketing_subid', label: t('users.subid'), maxLength: 200 },
    { name: 'additional_info', label: t('users.info'), mode: 'long', maxLength: 5000 },
    { name: 'notify_orders', label: t('users.notifyOrders') },
    { name: 'notify_payments', label: t('users.notifyPayments') },
  ];
  return (
    <FormDialog
      title={t('users.edit')}
      confirm={t('ui.save')}
      fields={fields}
      spec={PROFILE}
      initial={PROFILE.toValues(user)}
      reload={async () => PROFILE.toValues(await readUser(user.id))}
      send={({ values, base }) =>
        unwrap(api.PATCH(PATH, { params: { path: { id: user.id } }, body: PROFILE.toPatch(values, base) }))
      }
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

/** Reads the current user, for a form that was opened with an older version. */
export const readUser = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

export const SELLER = defineForm<Schemas['SellerInput']>()({
  seller_id: id,
  seller_status: choiceOrNull(SellerStatus),
  contact_step: choiceOrNull(ContactStep),
});

export function SellerForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const sellers = useSellers();
  // The current manager may not be in `sellers` any more, but stays the manager until a staff member selects another one.
  const formerSeller = user.manager && !sellers.some((seller) => seller.id === user.manager?.id) ? [user.manager] : [];
  const none = { value: '', label: t('users.nobody') };
  return (
    <FormDialog
      title={t('users.setSeller')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'seller_id',
          label: t('users.columns.manager'),
          options: [
            none,
            ...[...formerSeller, ...sellers].map((seller) => ({ value: String(seller.id), label: seller.name })),
          ],
        },
        {
          name: 'seller_status',
          label: t('users.sellerStatus'),
          options: [
            { value: '', label: t('users.noStep') },
            ...SellerStatus.map((value) => ({ value, label: t(`sellerStatus.${value}`) })),
          ],
        },
        {
          name: 'contact_step',
          label: t('users.contactStep'),
          options: [
            { value: '', label: t('users.noStep') },
            ...ContactStep.map((value) => ({ value, label: t(`contactStep.${value}`) })),
          ],
        },
      ]}
      spec={SELLER}
      initial={SELLER.toValues(user)}
      reload={async () => SELLER.toValues(await readUser(user.id))}
      send={async ({ values, base }) => {
        const { updated_at, ...change } = SELLER.toPatch(values, base);
        if (Object.keys(change).length === 0) return;
        const body = { ...change, updated_at: updated_at ?? null };
        await unwrap(api.POST('/api/v1/admin/users/{id}/update-seller', { params: { path: { id: user.id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

export function useDiscount(id: number) {
  return useQuery({
    queryKey: ['users', 'discount', id],
    queryFn: () => readDiscount(id),
  });
}

const readDiscount = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/users/{id}/user-discount', { params: { path: { id } } }))).data;

const DISCOUNT = defineForm<Schemas['UserDiscountInput']>()({
  percent: orDefault(percent, '0'),
  type: choice(DiscountType),
});

/** The discount has no `updated_at` of its own: the server compares that of the customer. */
const discountValuesOf = ({ updated_at }: User, discount: Schemas['UserDiscount']) =>
  DISCOUNT.toValues({ ...discount, updated_at });

export function DiscountForm({ user, discount, onClose, onChanged }: Props & { discount: Schemas['UserDiscount'] }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.setDiscount')}
      confirm={t('ui.save')}
      fields={[
        { name: 'percent', label: t('users.discount'), hint: t('users.discountHint') },
        {
          name: 'type',
          label: t('users.discountOff'),
          options: DiscountType.map((value) => ({ value, label: t(`discountType.${value}`) })),
        },
      ]}
      spec={DISCOUNT}
      initial={discountValuesOf(user, discount)}
      reload={async () => discountValuesOf(await readUser(user.id), await readDiscount(user.id))}
      send={({ values, base }) => {
        const body = DISCOUNT.toBody(values, base);
        return unwrap(api.POST('/api/v1/admin/users/{id}/user-discount', { params: { path: { id: user.id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
