// Three dialogs that edit a user: profile, account manager, and discount.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep, DiscountType, SellerStatus } from '@/api/enums';
import { type Codec, orDefault } from '@/form/codec';
import { checkbox, choice, choiceOrNull, fractionAsPercent, id, parseLines, text, trimmedOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useSellers } from './BulkForm';

type User = Schemas['User'];

interface Props {
  user: User;
  onClose: () => void;
  onChanged: () => void;
}

const USER_PATH = '/api/v1/admin/users/{id}';

/** One messenger per line: `Telegram: @anna`. */
const messengersCodec: Codec<Schemas['Messenger'][]> = {
  mode: 'multiline',
  format: (messengers) => (messengers ?? []).map(({ name, value }) => `${name}: ${value}`).join('\n'),
  parse: (text) =>
    parseLines(text).map((line) => {
      const colonIndex = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, colonIndex)).trim(), value: line.slice(colonIndex + 1).trim() };
    }),
  equal: (a, b) => a === b,
};

export const PROFILE_FORM = defineForm<Schemas['UserInput']>()({
  name: text,
  email: text,
  telegram_username: trimmedOrNull,
  messengers: messengersCodec,
  company_name: trimmedOrNull,
  company_address: trimmedOrNull,
  company_site: trimmedOrNull,
  vat: trimmedOrNull,
  affiliate_code: trimmedOrNull,
  referral_program_fraction: fractionAsPercent,
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
    { name: 'referral_program_fraction', label: t('users.referralPercent'), hint: t('users.referralHint') },
    { name: 'marketing_subid', label: t('users.marketingSubid'), maxLength: 200 },
    { name: 'additional_info', label: t('users.additionalInfo'), mode: 'multiline', maxLength: 5000 },
    { name: 'notify_orders', label: t('users.notifyOrders') },
    { name: 'notify_payments', label: t('users.notifyPayments') },
  ];
  return (
    <FormDialog
      title={t('users.edit')}
      confirmLabel={t('ui.save')}
      fields={fields}
      spec={PROFILE_FORM}
      initial={PROFILE_FORM.toValues(user)}
      reload={async () => PROFILE_FORM.toValues(await fetchUser(user.id))}
      send={({ values, base }) =>
        unwrap(api.PATCH(USER_PATH, { params: { path: { id: user.id } }, body: PROFILE_FORM.toPatch(values, base) }))
      }
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

/** Fetches the current version of a user, for a form that was opened with an older version. */
export const fetchUser = async (id: number) => (await unwrap(api.GET(USER_PATH, { params: { path: { id } } }))).data;

export const SELLER_FORM = defineForm<Schemas['SellerInput']>()({
  seller_id: id,
  seller_status: choiceOrNull(SellerStatus),
  contact_step: choiceOrNull(ContactStep),
});

export function SellerForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const sellers = useSellers();
  // The current manager may be missing in `sellers`, but stays the manager until a staff member selects another manager.
  const unlistedManagers =
    user.manager && !sellers.some((seller) => seller.id === user.manager?.id) ? [user.manager] : [];
  const noManagerOption = { value: '', label: t('users.noManager') };
  return (
    <FormDialog
      title={t('users.setSeller')}
      confirmLabel={t('ui.save')}
      fields={[
        {
          name: 'seller_id',
          label: t('users.columns.manager'),
          options: [
            noManagerOption,
            ...[...unlistedManagers, ...sellers].map((seller) => ({ value: String(seller.id), label: seller.name })),
          ],
        },
        {
          name: 'seller_status',
          label: t('users.sellerStatus'),
          options: [
            { value: '', label: t('users.noneOption') },
            ...SellerStatus.map((value) => ({ value, label: t(`sellerStatus.${value}`) })),
          ],
        },
        {
          name: 'contact_step',
          label: t('users.contactStep'),
          options: [
            { value: '', label: t('users.noneOption') },
            ...ContactStep.map((value) => ({ value, label: t(`contactStep.${value}`) })),
          ],
        },
      ]}
      spec={SELLER_FORM}
      initial={SELLER_FORM.toValues(user)}
      reload={async () => SELLER_FORM.toValues(await fetchUser(user.id))}
      send={async ({ values, base }) => {
        const { updated_at, ...changes } = SELLER_FORM.toPatch(values, base);
        if (Object.keys(changes).length === 0) return;
        const body = { ...changes, updated_at: updated_at ?? null };
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
    queryFn: () => fetchDiscount(id),
  });
}

const fetchDiscount = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/users/{id}/user-discount', { params: { path: { id } } }))).data;

const DISCOUNT_FORM = defineForm<Schemas['UserDiscountInput']>()({
  discount_fraction: orDefault(fractionAsPercent, '0'),
  type: choice(DiscountType),
});

/** The discount has no `updated_at`. The server checks the `updated_at` of the customer instead. */
const toDiscountValues = ({ updated_at }: User, discount: Schemas['UserDiscount']) =>
  DISCOUNT_FORM.toValues({ ...discount, updated_at });

export function DiscountForm({ user, discount, onClose, onChanged }: Props & { discount: Schemas['UserDiscount'] }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.setDiscount')}
      confirmLabel={t('ui.save')}
      fields={[
        { name: 'discount_fraction', label: t('users.discount'), hint: t('users.discountHint') },
        {
          name: 'type',
          label: t('users.discountType'),
          options: DiscountType.map((value) => ({ value, label: t(`discountType.${value}`) })),
        },
      ]}
      spec={DISCOUNT_FORM}
      initial={toDiscountValues(user, discount)}
      reload={async () => toDiscountValues(await fetchUser(user.id), await fetchDiscount(user.id))}
      send={({ values, base }) => {
        const body = DISCOUNT_FORM.toBody(values, base);
        return unwrap(api.POST('/api/v1/admin/users/{id}/user-discount', { params: { path: { id: user.id } }, body }));
      }}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}
