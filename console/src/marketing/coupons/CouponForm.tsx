// Makes a coupon, or changes one: what is sent is what was changed.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';
import { fieldOf } from '@/ui/times';
import { toast } from '@/ui/toasts';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import type { Values } from '@/ui/useForm';
import { asJson, asMoney, asShare, asTick, asTime, asWhole, changed, type Sent, tick } from '../calls';

type Coupon = Schemas['Coupon'];

const PATH = '/api/v1/admin/coupons/{id}';
const FLAGS = [
  'displayable',
  'works_with_service_discount',
  'works_with_user_custom_price',
  'use_with_only_unpaid_orders',
  'works_with_balance',
] as const;

const SENT: Sent = {
  translations: asJson,
  bonus_percentage: asShare,
  bonus_amount: asMoney,
  min_amount: (value) => asMoney(value) ?? '0',
  usage_limit: asWhole,
  valid_from: asTime,
  valid_to: asTime,
  affiliate_id: asWhole,
  ...Object.fromEntries(FLAGS.map((name) => [name, asTick])),
};

/** A new coupon is a share of a payment that the balance may pay, unless something else is said. */
const NEW: Values = { payment_type: 'deposit', bonus_amount_calculation_type: 'percent', works_with_balance: 'yes' };

function before(coupon: Coupon | null): Values {
  if (!coupon) return { translations: '', ...NEW };
  return {
    updated_at: coupon.updated_at,
    translations: JSON.stringify(coupon.translations),
    code: coupon.code,
    payment_type: coupon.payment_type,
    bonus_amount_calculation_type: coupon.bonus_amount_calculation_type,
    bonus_percentage: coupon.bonus_percentage ? percentOf(coupon.bonus_percentage) : '',
    bonus_amount: coupon.bonus_amount ?? '',
    min_amount: coupon.min_amount,
    usage_limit: coupon.usage_limit == null ? '' : String(coupon.usage_limit),
    valid_from: fieldOf(coupon.valid_from),
    valid_to: fieldOf(coupon.valid_to),
    affiliate_id: coupon.affiliate ? String(coupon.affiliate.id) : '',
    ...Object.fromEntries(FLAGS.map((name) => [name, tick(coupon[name])])),
  };
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await told(api.GET(PATH, { params: { path: { id } } }))).data;

export function CouponForm(props: Props) {
  const { id } = props;
  const { data } = useQuery({
    queryKey: ['coupons', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  if (id !== null && !data) return null;
  return <Form {...props} coupon={data ?? null} />;
}

/** A referral manager as the picker has people: the list knows their address only. */
const managerOf = (coupon: Coupon | null): UserHit | null =>
  coupon?.affiliate ? ({ ...coupon.affiliate, name: coupon.affiliate.email } as UserHit) : null;

function Form({ coupon, onClose, onSaved }: Props & { coupon: Coupon | null }) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const [manager, setManager] = useState(managerOf(coupon));
  const words = (texts: 'couponType' | 'couponCalculation', all: readonly string[]) =>
    all.map((value) => ({ value, label: t(`${texts}.${value}` as 'couponType.order') }));
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('coupons.texts'),
      mode: 'texts',
      texts: [
        { name: 'name', label: t('coupons.columns.name'), maxLength: 100 },
        { name: 'description', label: t('coupons.description'), maxLength: 1000, long: true },
      ],
    },
    { name: 'code', label: t('coupons.columns.code'), hint: t('coupons.codeHint'), maxLength: 40 },
    {
      name: 'payment_type',
      label: t('coupons.columns.with'),
      options: words('couponType', ['deposit', 'order']),
      part: t('coupons.bonus'),
    },
    {
      name: 'bonus_amount_calculation_type',
      label: t('coupons.calculation'),
      options: words('couponCalculation', ['percent', 'fixed']),
    },
    {
      name: 'bonus_percentage',
      label: t('coupons.percentage'),
      mode: 'decimal',
      unsigned: true,
      hint: t('coupons.percentageHint'),
    },
    {
      name: 'bonus_amount',
      label: t('coupons.columns.amount'),
      mode: 'decimal',
      unsigned: true,
      hint: t('coupons.amountHint'),
    },
    {
      name: 'min_amount',
      label: t('coupons.columns.minAmount'),
      mode: 'decimal',
      unsigned: true,
      part: t('coupons.limits'),
    },
    { name: 'usage_limit', label: t('coupons.columns.limit'), mode: 'numeric', hint: t('coupons.limitHint') },
    { name: 'valid_from', label: t('coupons.columns.from'), mode: 'time', hint: t('marketing.utc') },
    { name: 'valid_to', label: t('coupons.columns.to'), mode: 'time', hint: t('coupons.toHint') },
    {
      name: 'affiliate_id',
      label: t('coupons.columns.manager'),
      hint: t('coupons.managerHint'),
      draw: ({ id, invalid, onChange }) => (
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
    ...FLAGS.map((name): FormField => ({ name, label: t(`coupons.${name}`), mode: 'tick' })),
  ];
  return (
    <FormDialog
      title={coupon ? t('coupons.edit') : t('coupons.create')}
      confirm={coupon ? t('ui.save') : t('coupons.create')}
      fields={fields}
      note={<p className="hint">{t('coupons.paidAtOnce')}</p>}
      initial={before(coupon)}
      reload={coupon ? async () => before(await read(coupon.id)) : undefined}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = changed(coupon ? was : {}, values, SENT) as Schemas['CouponInput'];
        await told(
          coupon
            ? api.PATCH(PATH, { params: { path: { id: coupon.id } }, body })
            : api.POST('/api/v1/admin/coupons', { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
    />
  );
}
