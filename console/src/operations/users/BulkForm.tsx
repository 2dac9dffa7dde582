// What changes on many users: only what is ticked is sent, each part by the permission that it needs.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { useMay } from '@/session/hooks';
import type { FormProps, Input } from '@/table/action';
import { Tick } from '@/ui/Field';
import { fractionOf } from '@/ui/fraction';
import { Select } from '@/ui/Select';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { useGrades } from './Loyalty';

type Row = Schemas['UserRow'];

/** Who can look after customers. */
export function useSellers(): readonly UserHit[] {
  const { data } = useQuery({
    queryKey: ['sellers'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/users/available-sellers'))).data,
  });
  return data ?? [];
}

export const STEPS = [
  'not_contacted',
  'first_message',
  'second_message',
  'call',
  'offer',
  'agreed',
  'refused',
] as const satisfies readonly Schemas['ContactStep'][];

export function BulkForm({ value, onChange, errors }: FormProps<Row>) {
  const { t } = useTranslation();
  const may = useMay();
  const sellers = useSellers();
  const grades = useGrades(may('manage grades for user'));
  const [percent, setPercent] = useState('');
  const [affiliate, setAffiliate] = useState<UserHit | null>(null);
  const set = (name: string, to: Input[string]) => onChange({ ...value, [name]: to });
  const part = (name: string, label: string, control: ReactNode) => (
    <Part
      label={label}
      on={value[name] !== undefined}
      onToggle={(on) => set(name, on ? null : undefined)}
      errors={errors[name]}
    >
      {control}
    </Part>
  );
  return (
    <>
      <p className="field-hint">{t('users.bulkHint')}</p>
      {part(
        'seller_id',
        t('users.columns.manager'),
        <Select
          label={t('users.columns.manager')}
          value={(value.seller_id as number | null) ?? null}
          options={sellers.map((seller) => ({ value: seller.id, label: seller.name }))}
          placeholder={t('users.nobody')}
          clearable
          onChange={(id) => set('seller_id', id)}
        />,
      )}
      {may('manage grades for user') &&
        part(
          'grade_id',
          t('users.columns.grade'),
          <Select
            label={t('users.columns.grade')}
            value={(value.grade_id as number | null) ?? null}
            options={grades.map((grade) => ({ value: grade.id, label: grade.name }))}
            placeholder={t('users.noStep')}
            clearable
            onChange={(id) => set('grade_id', id)}
          />,
        )}
      {part(
        'contact_step',
        t('users.contactStep'),
        <Select
          label={t('users.contactStep')}
          value={(value.contact_step as string | null) ?? null}
          options={STEPS.map((step) => ({ value: step, label: t(`contactStep.${step}`) }))}
          placeholder={t('users.noStep')}
          clearable
          onChange={(step) => set('contact_step', step)}
        />,
      )}
      {part(
        'referral_program_percent',
        t('users.referralPercent'),
        <input
          className="input"
          inputMode="decimal"
          aria-label={t('users.referralPercent')}
          placeholder={t('users.panelDefault')}
          value={percent}
          onChange={(event) => {
            setPercent(event.target.value);
            set('referral_program_percent', fractionOf(event.target.value) || null);
          }}
        />,
      )}
      {part(
        'affiliate_id',
        t('users.columns.affiliate'),
        <UserPicker
          label={t('users.columns.affiliate')}
          value={affiliate}
          onChange={(user) => {
            setAffiliate(user);
            set('affiliate_id', user?.id ?? null);
          }}
        />,
      )}
    </>
  );
}

interface PartProps {
  label: string;
  on: boolean;
  onToggle: (on: boolean) => void;
  errors?: readonly string[] | undefined;
  children: ReactNode;
}

/** A field that is sent only when it is ticked. */
function Part({ label, on, onToggle, errors, children }: PartProps) {
  return (
    <div className="part">
      <Tick label={label} checked={on} onChange={onToggle} />
      {on && children}
      {errors && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
