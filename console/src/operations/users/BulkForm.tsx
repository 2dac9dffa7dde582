// The form of the bulk action on users. It sends only the fields that are checked, and shows only the fields that the
// permissions of the staff member allow.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep } from '@/api/words';
import { percent as share } from '@/form/codecs';
import { useHasPermission } from '@/session/hooks';
import type { FormProps } from '@/table/action';
import { Checkbox } from '@/ui/Field';
import { Select } from '@/ui/Select';
import { type UserHit, UserPicker } from '@/ui/UserPicker';
import { useGrades } from './Loyalty';

type UserRow = Schemas['UserRow'];
/** The checked fields. Null clears the field of the customer. */
export type BulkUserChanges = Omit<Schemas['BulkUsersInput'], 'user_ids' | 'status'>;

/** The staff members who can be the manager of a customer. */
export function useSellers(): readonly UserHit[] {
  const { data } = useQuery({
    queryKey: ['sellers'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/available-sellers'))).data,
  });
  return data ?? [];
}

export function BulkForm({ value, onChange, errors }: FormProps<UserRow, BulkUserChanges>) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const sellers = useSellers();
  const grades = useGrades(hasPermission('manage grades for user'));
  const set = (change: BulkUserChanges) => onChange({ ...value, ...change });
  const field = (name: keyof BulkUserChanges, label: string, control: ReactNode) => (
    <OptionalField
      label={label}
      on={name in value}
      onToggle={(on) => {
        const { [name]: _, ...others } = value;
        onChange(on ? { ...others, [name]: null } : others);
      }}
      errors={errors[name]}
    >
      {control}
    </OptionalField>
  );
  return (
    <>
      <p className="field-hint">{t('users.bulkHint')}</p>
      {field(
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
      {hasPermission('manage grades for user') &&
        field(
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
      {field(
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
      {field(
        'referral_program_percent',
        t('users.referralPercent'),
        <PercentInput onChange={(referral_program_percent) => set({ referral_program_percent })} />,
      )}
      {field(
        'affiliate_id',
        t('users.columns.affiliate'),
        <AffiliatePicker onChange={(affiliate_id) => set({ affiliate_id })} />,
      )}
    </>
  );
}

/**
 * `PercentInput` and `AffiliatePicker` are mounted only while the field is checked, so that a field that is checked again starts
 * empty, like the value that is sent.
 */
function PercentInput({ onChange }: { onChange: (share: string | null) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  return (
    <input
      className="input"
      inputMode="decimal"
      aria-label={t('users.referralPercent')}
      placeholder={t('users.panelDefault')}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(share.parse(event.target.value));
      }}
    />
  );
}

function AffiliatePicker({ onChange }: { onChange: (id: number | null) => void }) {
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

interface OptionalFieldProps {
  label: string;
  on: boolean;
  onToggle: (on: boolean) => void;
  errors?: readonly string[] | undefined;
  children: ReactNode;
}

/** A field that is sent only while its checkbox is checked. */
function OptionalField({ label, on, onToggle, errors, children }: OptionalFieldProps) {
  return (
    <div className="part">
      <Checkbox label={label} checked={on} onChange={onToggle} />
      {on && children}
      {errors && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
