// What changes on many users: only what is ticked is sent, each part by the permission that it needs.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep } from '@/api/words';
import { percent as share } from '@/form/codecs';
import { useMay } from '@/session/hooks';
import type { FormProps } from '@/table/action';
import { Tick } from '@/ui/Field';
import { Select } from '@/ui/Select';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { useGrades } from './Loyalty';

type Row = Schemas['UserRow'];
/** What is ticked; null takes away what a customer has. */
export type UserChanges = Omit<Schemas['BulkUsersInput'], 'user_ids' | 'status'>;

/** Who can look after customers. */
export function useSellers(): readonly UserHit[] {
  const { data } = useQuery({
    queryKey: ['sellers'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/available-sellers'))).data,
  });
  return data ?? [];
}

export function BulkForm({ value, onChange, errors }: FormProps<Row, UserChanges>) {
  const { t } = useTranslation();
  const may = useMay();
  const sellers = useSellers();
  const grades = useGrades(may('manage grades for user'));
  const set = (change: UserChanges) => onChange({ ...value, ...change });
  const part = (name: keyof UserChanges, label: string, control: ReactNode) => (
    <Part
      label={label}
      on={name in value}
      onToggle={(on) => {
        const { [name]: _, ...others } = value;
        onChange(on ? { ...others, [name]: null } : others);
      }}
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
          value={value.seller_id ?? null}
          options={sellers.map((seller) => ({ value: seller.id, label: seller.name }))}
          placeholder={t('users.nobody')}
          clearable
          onChange={(seller_id) => set({ seller_id })}
        />,
      )}
      {may('manage grades for user') &&
        part(
          'grade_id',
          t('users.columns.grade'),
          <Select
            label={t('users.columns.grade')}
            value={value.grade_id ?? null}
            options={grades.map((grade) => ({ value: grade.id, label: grade.name }))}
            placeholder={t('users.noStep')}
            clearable
            onChange={(grade_id) => set({ grade_id })}
          />,
        )}
      {part(
        'contact_step',
        t('users.contactStep'),
        <Select
          label={t('users.contactStep')}
          value={value.contact_step ?? null}
          options={ContactStep.map((step) => ({ value: step, label: t(`contactStep.${step}`) }))}
          placeholder={t('users.noStep')}
          clearable
          onChange={(contact_step) => set({ contact_step })}
        />,
      )}
      {part(
        'referral_program_percent',
        t('users.referralPercent'),
        <Percent onChange={(referral_program_percent) => set({ referral_program_percent })} />,
      )}
      {part(
        'affiliate_id',
        t('users.columns.affiliate'),
        <Affiliate onChange={(affiliate_id) => set({ affiliate_id })} />,
      )}
    </>
  );
}

/** Drawn only while it is ticked, as is the one below: what is ticked anew begins empty, as what is sent does. */
function Percent({ onChange }: { onChange: (share: string | null) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  return (
    <input
      className="input"
      inputMode="decimal"
      aria-label={t('users.referralPercent')}
      placeholder={t('users.panelDefault')}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(share.parse(event.target.value));
      }}
    />
  );
}

function Affiliate({ onChange }: { onChange: (id: number | null) => void }) {
  const { t } = useTranslation();
  const [user, setUser] = useState<UserHit | null>(null);
  return (
    <UserPicker
      label={t('users.columns.affiliate')}
      value={user}
      onChange={(user) => {
        setUser(user);
        onChange(user?.id ?? null);
      }}
    />
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
