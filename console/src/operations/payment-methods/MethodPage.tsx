// The page of one payment method: its settings, the texts for customers, its bonuses, and the names of its secrets.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Schemas } from '@/api/client';
import { fractionToPercent } from '@/form/decimal';
import { formatMoney, formatPercent } from '@/i18n/format';
import { LOCALES } from '@/i18n/locales';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { BooleanText } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { DescriptionList } from '@/ui/DescriptionList';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { METHOD_ACTIONS } from './actions';
import { BonusTable } from './Bonuses';
import { MethodForm } from './MethodForm';
import { usePaymentMethod } from './usePaymentMethod';

type PaymentMethod = Schemas['PaymentMethod'];

export default function MethodPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePaymentMethod(Number(params.id));
  return (
    <RecordPage query={query} backLink={{ href: '/payment-methods', text: t('methods.title') }}>
      {(method) => (
        <>
          <div className="record-head">
            <h1 tabIndex={-1}>{method.name}</h1>
            <CopyButton text={String(method.id)} />
            <StatusTag status={method.status} />
          </div>
          <MethodActions method={method} />
          <div className="record-grid">
            <MethodSettings method={method} />
            <WithdrawalSettings method={method} />
            <CustomerTexts method={method} />
            <Card
              title={t('methods.columns.bonuses')}
              headerActions={<Link href={`/payment-method-bonuses/${method.id}`}>{t('methods.bonuses.editAll')}</Link>}
            >
              <BonusTable bonuses={method.payment_method_bonuses} />
            </Card>
          </div>
        </>
      )}
    </RecordPage>
  );
}

function MethodActions({ method }: { method: PaymentMethod }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['payment-methods'] });
  return (
    <div className="record-actions">
      {method.actions.edit && <Button icon="pencil" label={t('methods.edit')} onClick={() => setIsEditing(true)} />}
      <RecordActions row={method} actions={METHOD_ACTIONS} onDone={refresh} />
      {isEditing && <MethodForm method={method} onClose={() => setIsEditing(false)} onChanged={refresh} />}
    </div>
  );
}

function MethodSettings({ method }: { method: PaymentMethod }) {
  const { t } = useTranslation();
  return (
    <Card title={t('methods.sections.terms')}>
      <DescriptionList
        rows={[
          [t('methods.columns.type'), t(`methodType.${method.type}`)],
          [t('methods.strategy'), t(`methodStrategy.${method.strategy}`)],
          [t('methods.columns.fee'), formatPercent(fractionToPercent(method.fee_fraction))],
          [t('methods.chargeType'), t(`methodCharge.${method.charge_type}`)],
          [t('methods.minAmount'), formatMoney(method.min_amount)],
          [t('methods.maxAmount'), method.max_amount ? formatMoney(method.max_amount) : t('methods.noLimit')],
          [t('methods.columns.currency'), method.charge_currency],
          [t('methods.position'), method.position],
          [t('methods.allowedForNewUsers'), <BooleanText key="on" value={method.is_allowed_for_new_user} />],
          [t('methods.userComment'), <BooleanText key="on" value={method.public_fields.is_user_comment ?? false} />],
          [
            t('methods.sections.secrets'),
            method.secrets.map((secret) => t('methods.secretIsSet', { name: secret.name })).join(', '),
          ],
          [t('methods.columns.createdAt'), <DateTime key="at" time={method.created_at} />],
        ]}
      />
    </Card>
  );
}

function WithdrawalSettings({ method }: { method: PaymentMethod }) {
  const { t } = useTranslation();
  const options = method.withdrawal_options;
  const rows: [string, React.ReactNode][] = [
    [t('methods.availableForWithdrawals'), <BooleanText key="on" value={options.available_for_withdrawal ?? false} />],
  ];
  if (options.available_for_withdrawal)
    rows.push(
      [t('methods.minAmount'), formatMoney(options.min_amount ?? '0')],
      [t('methods.maxAmount'), options.max_amount ? formatMoney(options.max_amount) : t('methods.noLimit')],
      [t('methods.columns.fee'), formatPercent(fractionToPercent(options.fee_fraction ?? '0'))],
      [t('methods.minFee'), formatMoney(options.min_fee ?? '0')],
    );
  return (
    <Card title={t('methods.sections.withdrawals')}>
      <DescriptionList rows={rows} />
    </Card>
  );
}

function CustomerTexts({ method }: { method: PaymentMethod }) {
  const { t } = useTranslation();
  const languages = LOCALES.filter(({ code }) => method.translations[code]);
  const renderImage = (src: string | null | undefined, label: string) =>
    src ? <img key="image" className="method-image" src={src} alt={label} /> : null;
  return (
    <Card title={t('methods.sections.customerView')}>
      <DescriptionList
        rows={[
          [t('methods.description'), method.description],
          [t('methods.withdrawalDescription'), method.translations.en?.withdrawal_description],
          [t('methods.additionalInformation'), method.translations.en?.additional_information],
          [t('methods.languages'), languages.map(({ name }) => name).join(', ')],
          [t('methods.icon'), renderImage(method.icon, t('methods.icon'))],
          [t('methods.allowQr'), <BooleanText key="on" value={method.allow_qr_code} />],
          [t('methods.showQr'), <BooleanText key="on" value={method.public_fields.qr_code ?? false} />],
          [t('methods.qrCode'), renderImage(method.payment_qr_code, t('methods.qrCode'))],
        ]}
      />
    </Card>
  );
}
