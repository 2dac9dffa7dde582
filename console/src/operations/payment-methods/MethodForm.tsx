// A payment method, made or changed in one dialog.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { bodyOf, CHARGES, STRATEGIES, TYPES, valuesOf } from './values';

const PATH = '/api/v1/admin/payment-methods/{id}';

interface Props {
  /** None makes a new one. */
  method: Schemas['PaymentMethod'] | null;
  onClose: () => void;
  onChanged: () => void;
}

export function MethodForm({ method, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const fields = useFields(method);
  return (
    <FormDialog
      title={method ? t('methods.edit') : t('methods.add')}
      confirm={t('ui.save')}
      fields={fields}
      initial={valuesOf(method)}
      reload={
        method
          ? async () => valuesOf((await told(api.GET(PATH, { params: { path: { id: method.id } } }))).data)
          : undefined
      }
      onClose={onClose}
      onSave={async (values, was) => {
        if (method) {
          const body = { ...bodyOf(was, values), updated_at: was.updated_at ?? null };
          await told(api.POST(PATH, { params: { path: { id: method.id } }, body }));
        } else {
          const { type, strategy, charge_type, charge_currency } = values;
          const said = { type, strategy, charge_type, charge_currency } as Schemas['PaymentMethodInput'];
          const allowed = values.is_allowed_for_new_user === 'yes';
          const body = { ...said, ...bodyOf(was, values), is_allowed_for_new_user: allowed };
          await told(api.POST('/api/v1/admin/payment-methods', { body }));
        }
        toast({ tone: 'success', text: t('ui.saved') });
        onChanged();
      }}
    />
  );
}

function useFields(method: Schemas['PaymentMethod'] | null): FormField[] {
  const { t } = useTranslation();
  const { data: collections } = useQuery({
    queryKey: ['payment-methods', 'collections'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/payment-methods/collections'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const currencies = collections?.currencies ?? [{ type: method?.charge_currency ?? 'USD', label: '' }];
  const money = (name: string, label: string): FormField => ({ name, label, mode: 'decimal' });
  return [
    {
      name: 'translations',
      label: t('methods.texts'),
      mode: 'texts',
      hint: t('methods.textsHint'),
      texts: [
        { name: 'name', label: t('methods.columns.name'), maxLength: 100 },
        { name: 'description', label: t('methods.description'), long: true, maxLength: 5000 },
        { name: 'withdrawal_description', label: t('methods.withdrawalDescription'), long: true, maxLength: 5000 },
        { name: 'additional_information', label: t('methods.information'), long: true, maxLength: 5000 },
      ],
    },
    {
      name: 'type',
      label: t('methods.columns.type'),
      options: TYPES.map((value) => ({ value, label: t(`methodType.${value}`) })),
      part: t('methods.parts.terms'),
    },
    {
      name: 'strategy',
      label: t('methods.strategy'),
      options: STRATEGIES.map((value) => ({ value, label: t(`methodStrategy.${value}`) })),
    },
    { name: 'fee_percent', label: t('methods.fee'), mode: 'decimal', hint: t('methods.feeHint') },
    {
      name: 'charge_type',
      label: t('methods.chargeType'),
      options: CHARGES.map((value) => ({ value, label: t(`methodCharge.${value}`) })),
    },
    money('min_amount', t('methods.min')),
    { ...money('max_amount', t('methods.max')), hint: t('methods.maxHint') },
    {
      name: 'charge_currency',
      label: t('methods.columns.currency'),
      options: currencies.map(({ type }) => ({ value: type, label: type })),
    },
    { name: 'position', label: t('methods.place'), mode: 'numeric', hint: method ? '' : t('methods.placeHint') },
    { name: 'is_allowed_for_new_user', label: t('methods.newUsers'), mode: 'tick' },
    { name: 'public_fields.is_user_comment', label: t('methods.userComment'), mode: 'tick' },
    { name: 'icon', label: t('methods.icon'), mode: 'image', part: t('methods.parts.images') },
    { name: 'payment_qr_code', label: t('methods.qrCode'), mode: 'image' },
    { name: 'allow_qr_code', label: t('methods.allowQr'), mode: 'tick' },
    { name: 'public_fields.qr_code', label: t('methods.showQr'), mode: 'tick' },
    {
      name: 'withdrawal_options.available_for_withdrawal',
      label: t('methods.withdrawals'),
      mode: 'tick',
      part: t('methods.parts.withdrawals'),
    },
    { name: 'withdrawal_options.fee_percent', label: t('methods.fee'), mode: 'decimal', hint: t('methods.feeHint') },
    money('withdrawal_options.min_amount', t('methods.min')),
    { ...money('withdrawal_options.max_amount', t('methods.max')), hint: t('methods.maxHint') },
    money('withdrawal_options.min_fee', t('methods.minFee')),
    ...(method?.secrets ?? []).flatMap(({ name }, at): FormField[] => [
      {
        name: `secret.${name}`,
        label: name,
        mode: 'secret',
        hint: t('methods.secretHint'),
        ...(at === 0 ? { part: t('methods.parts.secrets') } : {}),
      },
      { name: `secret-gone.${name}`, label: t('methods.forget', { name }), mode: 'tick' },
    ]),
    {
      name: 'secret-name',
      label: t('methods.secretName'),
      hint: t('methods.secretNameHint'),
      ...(method?.secrets.length ? {} : { part: t('methods.parts.secrets') }),
    },
    { name: 'secret-value', label: t('methods.secretValue'), mode: 'secret', hint: t('methods.secretValueHint') },
  ];
}
