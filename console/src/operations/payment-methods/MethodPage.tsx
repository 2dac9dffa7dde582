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
import { Card, DescriptionList } from '@/ui/Card';
import { CopyButton } from '@/ui/Copy';
import { Flag } from '@/ui/cells';
import { DateTime } from '@/ui/DateTime';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { METHOD_ACTIONS } from './actions';
import { BonusTable } from './Bonuses';
import { MethodForm } from './MethodForm';
import { usePaymentMethod } from './usePaymentMethod';

type Method = Schemas['PaymentMethod'];

export default function MethodPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePaymentMethod(Number(params.id));
  return (
    <RecordPage query={query} list={{ href: '/payment-methods', text: t('methods.title') }}>
      {(method) => (
        <>
          <div className="record-head">
            <h1 tabIndex={-1}>{method.name}</h1>
            <CopyButton text={String(method.id)} />
            <StatusTag status={method.status} />
          </div>
          <MethodActions method={method} />
          <div className="record-grid">
            <Settings method={method} />
            <Withdrawals method={method} />
            <CustomerTexts method={method} />
            <Card
              title={t('methods.columns.bonuses')}
              aside={<Link href={`/payment-method-bonuses/${method.id}`}>{t('methods.bonuses.change')}</Link>}
            >
              <BonusTable bonuses={method.payment_method_bonuses} />
            </Card>
          </div>
        </>
      )}
    </RecordPage>
  );
}

function MethodActions({ method }: { method: Method }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['payment-methods'] });
  return (
    <div className="record-actions">
      {method.actions.edit && <Button icon="pencil" label={t('methods.edit')} onClick={() => setEditing(true)} />}
      <RecordActions row={method} actions={METHOD_ACTIONS} onDone={refresh} />
      {editing && <MethodForm method={method} onClose={() => setEditing(false)} onChanged={refresh} />}
    </div>
  );
}

function Settings({ method }: { method: Method }) {
  const { t } = useTranslation();
  return (
    <Card title={t('methods.parts.terms')}>
      <DescriptionList
        rows={[
          [t('methods.columns.type'), t(`methodType.${method.type}`)],
          [t('methods.strategy'), t(`methodStrategy.${method.strategy}`)],
          [t('methods.columns.fee'), formatPercent(fractionToPercent(method.fee_percent))],
          [t('methods.chargeType'), t(`methodCharge.${method.charge_type}`)],
          [t('methods.min'), formatMoney(method.min_amount)],
          [t('methods.max'), method.max_amount ? formatMoney(method.max_amount) : t('methods.noBound')],
          [t('methods.columns.currency'), method.charge_currency],
          [t('methods.place'), method.position],
          [t('methods.newUsers'), <Flag key="on" on={method.is_allowed_for_new_user} />],
          [t('methods.userComment'), <Flag key="on" on={method.public_fields.is_user_comment ?? false} />],
          [
            t('methods.parts.secrets'),
            method.secrets.map((secret) => t('methods.secretSet', { name: secret.name })).join(', '),
          ],
          [t('methods.columns.createdAt'), <DateTime key="at" at={method.created_at} />],
        ]}
      />
    </Card>
  );
}

function Withdrawals({ method }: { method: Method }) {
  const { t } = useTranslation();
  const options = method.withdrawal_options;
  const rows: [string, React.ReactNode][] = [
    [t('methods.withdrawals'), <Flag key="on" on={options.available_for_withdrawal ?? false} />],
  ];
  if (options.available_for_withdrawal)
    rows.push(
      [t('methods.min'), formatMoney(options.min_amount ?? '0')],
      [t('methods.max'), options.max_amount ? formatMoney(options.max_amount) : t('methods.noBound')],
      [t('methods.columns.fee'), formatPercent(fractionToPercent(options.fee_percent ?? '0'))],
      [t('methods.minFee'), formatMoney(options.min_fee ?? '0')],
    );
  return (
    <Card title={t('methods.parts.withdrawals')}>
      <DescriptionList rows={rows} />
    </Card>
  );
}

function CustomerTexts({ method }: { method: Method }) {
  const { t } = useTranslation();
  const languages = LOCALES.filter(({ code }) => method.translations[code]);
  const image = (src: string | null | undefined, label: string) =>
    src ? <img key="image" className="method-image" src={src} alt={label} /> : null;
  return (
    <Card title={t('methods.parts.reading')}>
      <DescriptionList
        rows={[
          [t('methods.description'), method.description],
          [t('methods.withdrawalDescription'), method.translations.en?.withdrawal_description],
          [t('methods.information'), method.translations.en?.additional_information],
          [t('methods.languages'), languages.map(({ name }) => name).join(', ')],
          [t('methods.icon'), image(method.icon, t('methods.icon'))],
          [t('methods.allowQr'), <Flag key="on" on={method.allow_qr_code} />],
          [t('methods.showQr'), <Flag key="on" on={method.public_fields.qr_code ?? false} />],
          [t('methods.qrCode'), image(method.payment_qr_code, t('methods.qrCode'))],
        ]}
      />
    </Card>
  );
}
