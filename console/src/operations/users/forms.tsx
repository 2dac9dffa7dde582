// Three dialogs that edit a user: profile, account manager, and discount.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep, DiscountType, SellerStatus } from '@/api/enums';
import { type Codec, orDefault } from '@/form/codec';
import {
  checkboxCodec,
  enumCodec,
  enumOrNullCodec,
  fractionAsPercentCodec,
  idCodec,
  parseLines,
  textCodec,
  trimmedTextOrNullCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useAccountManagers } from './BulkEditForm';

type User = Schemas['User'];

interface Props {
  user: User;
  onClose: () => void;
  onChanged: () => void;
}

const USER_PATH = '/api/v1/admin/users/{id}';

/** The codec of a field with one messenger per line: `Telegram: @anna`. */
const messengersCodec: Codec<Schemas['Messenger'][]> = {
  mode: 'multiline',
  format: (messengers) => (messengers ?? []).map(({ name, value }) => `${name}: ${value}`).join('\n'),
  parse: (text) =>
    parseLines(text).map((line) => {
      const colonIndex = line.indexOf(':');
      return { name: line.slice(0, Math.max(0, colonIndex)).trim(), value: line.slice(colonIndex + 1).trim() };
    }),
  isEqual: (a, b) => a === b,
};

export const PROFILE_FORM = defineForm<Schemas['UserInput']>()({
  name: textCodec,
  email: textCodec,
  telegram_username: trimmedTextOrNullCodec,
  messengers: messengersCodec,
  company_name: trimmedTextOrNullCodec,
  company_address: trimmedTextOrNullCodec,
  company_site: trimmedTextOrNullCodec,
  vat: trimmedTextOrNullCodec,
  affiliate_code: trimmedTextOrNullCodec,
  referral_program_fraction: fractionAsPercentCodec,
  marketing_subid: trimmedTextOrNullCodec,
  additional_info: trimmedTextOrNullCodec,
  notify_orders: checkboxCodec,
  notify_payments: checkboxCodec,
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
    { name: 'company_site', label: t('users.website'), mode: 'url', maxLength: 500 },
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
      initialValues={PROFILE_FORM.toValues(user)}
      reload={async () => PROFILE_FORM.toValues(await fetchUser(user.id))}
      send={({ values, base }) =>
        unwrap(api.PATCH(USER_PATH, { params: { path: { id: user.id } }, body: PROFILE_FORM.toPatch(values, base) }))
      }
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

/** Fetches the current version of a user after a conflict. */
export const fetchUser = async (id: number) => (await unwrap(api.GET(USER_PATH, { params: { path: { id } } }))).data;

export const ACCOUNT_MANAGER_FORM = defineForm<Schemas['SellerInput']>()({
  seller_id: idCodec,
  seller_status: enumOrNullCodec(SellerStatus),
  contact_step: enumOrNullCodec(ContactStep),
});

export function AccountManagerForm({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const accountManagers = useAccountManagers();
  // The current account manager may be missing in `accountManagers`, but stays until a staff member selects another one.
  const unlistedManagers =
    user.manager && !accountManagers.some(({ id }) => id === user.manager?.id) ? [user.manager] : [];
  const noManagerOption = { value: '', label: t('users.noManager') };
  return (
    <FormDialog
      title={t('users.setAccountManager')}
      confirmLabel={t('ui.save')}
      fields={[
        {
          name: 'seller_id',
          label: t('users.columns.manager'),
          options: [
            noManagerOption,
            ...[...unlistedManagers, ...accountManagers].map(({ id, name }) => ({ value: String(id), label: name })),
          ],
        },
        {
          name: 'seller_status',
          label: t('users.salesStatus'),
          options: [
            { value: '', label: t('users.noValue') },
            ...SellerStatus.map((value) => ({ value, label: t(`sellerStatus.${value}`) })),
          ],
        },
        {
          name: 'contact_step',
          label: t('users.contactStep'),
          options: [
            { value: '', label: t('users.noValue') },
            ...ContactStep.map((value) => ({ value, label: t(`contactStep.${value}`) })),
          ],
        },
      ]}
      spec={ACCOUNT_MANAGER_FORM}
      initialValues={ACCOUNT_MANAGER_FORM.toValues(user)}
      reload={async () => ACCOUNT_MANAGER_FORM.toValues(await fetchUser(user.id))}
      send={async ({ values, base }) => {
        const { updated_at, ...changes } = ACCOUNT_MANAGER_FORM.toPatch(values, base);
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
  discount_fraction: orDefault(fractionAsPercentCodec, '0'),
  type: enumCodec(DiscountType),
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
      initialValues={toDiscountValues(user, discount)}
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
