// The form that creates or edits a coupon. An edit sends only the fields that the user has changed.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { BonusCalculation, CouponPaymentType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import {
  checkboxCodec,
  enumCodec,
  fractionAsPercentCodec,
  idCodec,
  moneyCodec,
  quantityCodec,
  textCodec,
  timeCodec,
  translationsCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { UserPicker, type UserSearchResult } from '@/ui/UserPicker';

type Coupon = Schemas['Coupon'];

const COUPON_PATH = '/api/v1/admin/coupons/{id}';
const COUPON_FORM = defineForm<Schemas['CouponInput']>()({
  translations: translationsCodec,
  code: textCodec,
  payment_type: enumCodec(CouponPaymentType),
  bonus_amount_calculation_type: enumCodec(BonusCalculation),
  bonus_fraction: fractionAsPercentCodec,
  bonus_amount: moneyCodec,
  min_amount: orDefault(moneyCodec, '0'),
  usage_limit: quantityCodec,
  valid_from: timeCodec,
  valid_to: timeCodec,
  affiliate_id: idCodec,
  displayable: checkboxCodec,
  works_with_service_discount: checkboxCodec,
  works_with_user_custom_price: checkboxCodec,
  use_with_only_unpaid_orders: checkboxCodec,
  works_with_balance: checkboxCodec,
});
const CHECKBOX_FIELDS = [
  'displayable',
  'works_with_service_discount',
  'works_with_user_custom_price',
  'use_with_only_unpaid_orders',
  'works_with_balance',
] as const;

/** The initial values of a new coupon: a percentage bonus on a deposit, and customers may pay with their balance. */
const NEW_COUPON_VALUES: FormValues = {
  translations: '',
  payment_type: 'deposit',
  bonus_amount_calculation_type: 'percent',
  works_with_balance: 'yes',
};

const toCouponFormValues = (coupon: Coupon) =>
  COUPON_FORM.toValues({ ...coupon, affiliate_id: coupon.affiliate?.id ?? null });

interface Props {
  id: number | null;
  /** The action that restores an archived coupon. */
  restoreAction?: Action<Schemas['CouponRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const fetchCoupon = async (id: number) => (await unwrap(api.GET(COUPON_PATH, { params: { path: { id } } }))).data;

export function CouponForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['coupons', 'detail', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchCoupon(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <LoadErrorDialog title={t('coupons.edit')} queries={[query]} onClose={onClose} />;
  // A restored coupon becomes editable and has a new `updated_at`. The key remounts the form with the current version.
  return <LoadedCouponForm key={String(data?.actions.editable)} {...props} coupon={data ?? null} />;
}

/** Converts the coupon's referral manager to an option of the user picker. The API returns no name, so the option shows the email. */
const toReferralManagerOption = (coupon: Coupon | null): UserSearchResult | null =>
  coupon?.affiliate ? ({ ...coupon.affiliate, name: coupon.affiliate.email } as UserSearchResult) : null;

function LoadedCouponForm({ coupon, restoreAction, onClose, onSaved }: Props & { coupon: Coupon | null }) {
  const { t } = useTranslation();
  const [manager, setManager] = useState(toReferralManagerOption(coupon));
  const toEnumOptions = (textPrefix: 'couponType' | 'couponCalculation', values: readonly string[]) =>
    values.map((value) => ({ value, label: t(`${textPrefix}.${value}` as 'couponType.order') }));
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('coupons.texts'),
      texts: [
        { name: 'name', label: t('coupons.columns.name'), maxLength: 100 },
        { name: 'description', label: t('coupons.description'), maxLength: 1000, multiline: true },
      ],
    },
    { name: 'code', label: t('coupons.columns.code'), hint: t('coupons.codeHint'), maxLength: 40 },
    {
      name: 'payment_type',
      label: t('coupons.columns.usedWith'),
      options: toEnumOptions('couponType', CouponPaymentType),
      section: t('coupons.benefit'),
    },
    {
      name: 'bonus_amount_calculation_type',
      label: t('coupons.valueType'),
      options: toEnumOptions('couponCalculation', BonusCalculation),
    },
    {
      name: 'bonus_fraction',
      label: t('coupons.percentage'),
      unsigned: true,
      hint: t('coupons.percentageHint'),
    },
    {
      name: 'bonus_amount',
      label: t('coupons.columns.amount'),
      unsigned: true,
      hint: t('coupons.amountHint'),
    },
    {
      name: 'min_amount',
      label: t('coupons.columns.minAmount'),
      unsigned: true,
      section: t('coupons.conditions'),
    },
    { name: 'usage_limit', label: t('coupons.columns.usageLimit'), hint: t('coupons.limitHint') },
    { name: 'valid_from', label: t('coupons.columns.start'), hint: t('marketing.utc') },
    { name: 'valid_to', label: t('coupons.columns.end'), hint: t('coupons.endHint') },
    {
      name: 'affiliate_id',
      label: t('coupons.columns.manager'),
      hint: t('coupons.managerHint'),
      render: ({ id, invalid, onChange }) => (
        <UserPicker
          id={id}
          label={t('coupons.columns.manager')}
          value={manager}
          invalid={invalid}
          onChange={(user) => {
            setManager(user);
            onChange(user ? String(user.id) : '');
          }}
        />
      ),
    },
    ...CHECKBOX_FIELDS.map((name): FormField => ({ name, label: t(`coupons.${name}`) })),
  ];
  return (
    <FormDialog
      title={coupon ? t('coupons.edit') : t('coupons.create')}
      confirmLabel={coupon ? t('ui.save') : t('coupons.create')}
      fields={fields}
      note={<p className="hint">{t('coupons.paidFromBalanceNote')}</p>}
      lockedReason={
        coupon &&
        !coupon.actions.editable && (
          <LockedNotice
            row={coupon}
            isArchived={coupon.status === 'archived'}
            actions={restoreAction ? [restoreAction] : []}
            onDone={onSaved}
          />
        )
      }
      spec={COUPON_FORM}
      initialValues={coupon ? toCouponFormValues(coupon) : NEW_COUPON_VALUES}
      reload={coupon ? async () => toCouponFormValues(await fetchCoupon(coupon.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = coupon ? COUPON_FORM.toPatch(values, base) : COUPON_FORM.toCreateBody(values);
        return unwrap(
          coupon
            ? api.PATCH(COUPON_PATH, { params: { path: { id: coupon.id } }, body })
            : api.POST('/api/v1/admin/coupons', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
