// Makes a coupon, or changes one: what is sent is what was changed.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { BonusCalculation, CouponPaymentType } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { checkbox, choice, id, money, percent, quantity, text, texts, time } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { type UserHit, UserPicker } from '@/ui/UserPicker';

type Coupon = Schemas['Coupon'];

const PATH = '/api/v1/admin/coupons/{id}';
const COUPON = defineForm<Schemas['CouponInput']>()({
  translations: texts,
  code: text,
  payment_type: choice(CouponPaymentType),
  bonus_amount_calculation_type: choice(BonusCalculation),
  bonus_percentage: percent,
  bonus_amount: money,
  min_amount: orDefault(money, '0'),
  usage_limit: quantity,
  valid_from: time,
  valid_to: time,
  affiliate_id: id,
  displayable: checkbox,
  works_with_service_discount: checkbox,
  works_with_user_custom_price: checkbox,
  use_with_only_unpaid_orders: checkbox,
  works_with_balance: checkbox,
});
const FLAGS = [
  'displayable',
  'works_with_service_discount',
  'works_with_user_custom_price',
  'use_with_only_unpaid_orders',
  'works_with_balance',
] as const;

/** A new coupon is a share of a payment that the balance may pay, unless something else is chosen. */
const NEW: FormValues = {
  translations: '',
  payment_type: 'deposit',
  bonus_amount_calculation_type: 'percent',
  works_with_balance: 'yes',
};

const valuesOf = (coupon: Coupon) => COUPON.toValues({ ...coupon, affiliate_id: coupon.affiliate?.id ?? null });

interface Props {
  id: number | null;
  /** What brings an archived one back. */
  restore?: Action<Schemas['CouponRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

export function CouponForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['coupons', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <NotLoaded title={t('coupons.edit')} queries={[query]} onClose={onClose} />;
  // One that can be edited from now on begins anew, as its stamp is another.
  return <Form key={String(data?.actions.editable)} {...props} coupon={data ?? null} />;
}

/** A referral manager as the picker has people: the list knows their address only. */
const managerOf = (coupon: Coupon | null): UserHit | null =>
  coupon?.affiliate ? ({ ...coupon.affiliate, name: coupon.affiliate.email } as UserHit) : null;

function Form({ coupon, restore, onClose, onSaved }: Props & { coupon: Coupon | null }) {
  const { t } = useTranslation();
  const [manager, setManager] = useState(managerOf(coupon));
  const words = (texts: 'couponType' | 'couponCalculation', all: readonly string[]) =>
    all.map((value) => ({ value, label: t(`${texts}.${value}` as 'couponType.order') }));
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('coupons.texts'),
      texts: [
        { name: 'name', label: t('coupons.columns.name'), maxLength: 100 },
        { name: 'description', label: t('coupons.description'), maxLength: 1000, long: true },
      ],
    },
    { name: 'code', label: t('coupons.columns.code'), hint: t('coupons.codeHint'), maxLength: 40 },
    {
      name: 'payment_type',
      label: t('coupons.columns.with'),
      options: words('couponType', CouponPaymentType),
      section: t('coupons.bonus'),
    },
    {
      name: 'bonus_amount_calculation_type',
      label: t('coupons.calculation'),
      options: words('couponCalculation', BonusCalculation),
    },
    {
      name: 'bonus_percentage',
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
      section: t('coupons.limits'),
    },
    { name: 'usage_limit', label: t('coupons.columns.limit'), hint: t('coupons.limitHint') },
    { name: 'valid_from', label: t('coupons.columns.from'), hint: t('marketing.utc') },
    { name: 'valid_to', label: t('coupons.columns.to'), hint: t('coupons.toHint') },
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
    ...FLAGS.map((name): FormField => ({ name, label: t(`coupons.${name}`) })),
  ];
  return (
    <FormDialog
      title={coupon ? t('coupons.edit') : t('coupons.create')}
      confirm={coupon ? t('ui.save') : t('coupons.create')}
      fields={fields}
      note={<p className="hint">{t('coupons.paidAtOnce')}</p>}
      locked={
        coupon &&
        !coupon.actions.editable && (
          <LockedNotice
            row={coupon}
            isArchived={coupon.status === 'archived'}
            actions={restore ? [restore] : []}
            onDone={onSaved}
          />
        )
      }
      spec={COUPON}
      initial={coupon ? valuesOf(coupon) : NEW}
      reload={coupon ? async () => valuesOf(await read(coupon.id)) : undefined}
      send={({ values, base }, key) => {
        const body = coupon ? COUPON.toPatch(values, base) : COUPON.toCreateBody(values);
        return unwrap(
          coupon
            ? api.PATCH(PATH, { params: { path: { id: coupon.id } }, body })
            : api.POST('/api/v1/admin/coupons', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}
