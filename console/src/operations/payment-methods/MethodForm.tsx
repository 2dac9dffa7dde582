// The dialog that creates or edits a payment method.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ChargeType, PaymentMethodType, PaymentStrategy } from '@/api/enums';
import { Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { buildMethodBody, findMissingSecretField, METHOD_SPEC, toFormValues } from './methodFormValues';

const METHOD_PATH = '/api/v1/admin/payment-methods/{id}';

interface Props {
  /** Null creates a new method. */
  method: Schemas['PaymentMethod'] | null;
  onClose: () => void;
  onChanged: () => void;
}

export function MethodForm({ method, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const fields = useMethodFields(method);
  return (
    <FormDialog
      title={method ? t('methods.edit') : t('methods.add')}
      confirmLabel={t('ui.save')}
      fields={fields}
      initialValues={toFormValues(method)}
      reload={
        method
          ? async () => toFormValues((await unwrap(api.GET(METHOD_PATH, { params: { path: { id: method.id } } }))).data)
          : undefined
      }
      spec={METHOD_SPEC}
      send={async ({ values, base }, key) => {
        const missingField = findMissingSecretField(values);
        if (missingField) {
          const message = t(
            missingField === 'secret-name' ? 'methods.secretNameMissing' : 'methods.secretValueMissing',
          );
          throw new Problem({ status: 422, code: 'invalid', message, fields: { [missingField]: [message] } });
        }
        if (method)
          return unwrap(
            api.POST(METHOD_PATH, { params: { path: { id: method.id } }, body: buildMethodBody(base, values) }),
          );
        const body = buildMethodBody(null, values);
        return unwrap(api.POST('/api/v1/admin/payment-methods', { body, ...withIdempotencyKey(key) }));
      }}
      successMessage={t('ui.saved')}
      onDone={onChanged}
      onClose={onClose}
    />
  );
}

function useMethodFields(method: Schemas['PaymentMethod'] | null): FormField[] {
  const { t } = useTranslation();
  const { data: collections } = useQuery({
    queryKey: ['payment-methods', 'collections'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/payment-methods/collections'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const currencies = collections?.currencies ?? [{ type: method?.charge_currency ?? 'USD', label: '' }];
  return [
    {
      name: 'translations',
      label: t('methods.translations'),
      hint: t('methods.translationsHint'),
      texts: [
        { name: 'name', label: t('methods.columns.name'), maxLength: 100 },
        { name: 'description', label: t('methods.description'), multiline: true, maxLength: 5000 },
        { name: 'withdrawal_description', label: t('methods.withdrawalDescription'), multiline: true, maxLength: 5000 },
        { name: 'additional_information', label: t('methods.additionalInformation'), multiline: true, maxLength: 5000 },
      ],
    },
    {
      name: 'type',
      label: t('methods.columns.type'),
      options: PaymentMethodType.map((value) => ({ value, label: t(`methodType.${value}`) })),
      section: t('methods.sections.terms'),
    },
    {
      name: 'strategy',
      label: t('methods.strategy'),
      options: PaymentStrategy.map((value) => ({ value, label: t(`methodStrategy.${value}`) })),
    },
    { name: 'fee_fraction', label: t('methods.fee'), hint: t('methods.feeHint') },
    {
      name: 'charge_type',
      label: t('methods.chargeType'),
      options: ChargeType.map((value) => ({ value, label: t(`methodCharge.${value}`) })),
    },
    { name: 'min_amount', label: t('methods.minAmount') },
    { name: 'max_amount', label: t('methods.maxAmount'), hint: t('methods.maxAmountHint') },
    {
      name: 'charge_currency',
      label: t('methods.columns.currency'),
      options: currencies.map(({ type }) => ({ value: type, label: type })),
    },
    { name: 'position', label: t('methods.position'), hint: method ? '' : t('methods.positionHint') },
    { name: 'is_allowed_for_new_user', label: t('methods.allowedForNewUsers') },
    { name: 'public_fields.is_user_comment', label: t('methods.userComment') },
    { name: 'icon', label: t('methods.icon'), section: t('methods.sections.images') },
    { name: 'payment_qr_code', label: t('methods.qrCode') },
    { name: 'allow_qr_code', label: t('methods.allowQr') },
    { name: 'public_fields.qr_code', label: t('methods.showQr') },
    {
      name: 'withdrawal_options.available_for_withdrawal',
      label: t('methods.availableForWithdrawals'),
      section: t('methods.sections.withdrawals'),
    },
    { name: 'withdrawal_options.fee_fraction', label: t('methods.fee'), hint: t('methods.feeHint') },
    { name: 'withdrawal_options.min_amount', label: t('methods.minAmount') },
    { name: 'withdrawal_options.max_amount', label: t('methods.maxAmount'), hint: t('methods.maxAmountHint') },
    { name: 'withdrawal_options.min_fee', label: t('methods.minFee') },
    ...(method?.secrets ?? []).flatMap(({ name }, index): FormField[] => [
      {
        name: `secret.${name}`,
        label: name,
        mode: 'secret',
        hint: t('methods.secretHint'),
        ...(index === 0 ? { section: t('methods.sections.secrets') } : {}),
      },
      { name: `remove-secret.${name}`, label: t('methods.removeSecret', { name }), mode: 'checkbox' },
    ]),
    {
      name: 'secret-name',
      label: t('methods.secretName'),
      hint: t('methods.secretNameHint'),
      ...(method?.secrets.length ? {} : { section: t('methods.sections.secrets') }),
    },
    { name: 'secret-value', label: t('methods.secretValue'), mode: 'secret', hint: t('methods.secretValueHint') },
  ];
}
