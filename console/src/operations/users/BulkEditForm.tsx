// The form of the action that edits several customers. It sends only the checked fields, and shows only the fields that the staff
// member may change.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ContactStep } from '@/api/enums';
import { fractionAsPercentCodec } from '@/form/codecs';
import { useHasPermission } from '@/session/hooks';
import type { FormProps } from '@/table/action';
import { Checkbox } from '@/ui/Field';
import { Select } from '@/ui/Select';
import { UserPicker, type UserSearchResult } from '@/ui/UserPicker';
import { useGrades } from './Loyalty';

type UserRow = Schemas['UserRow'];
/** The values of the checked fields. Null clears a field of the customers. */
export type BulkUserChanges = Omit<Schemas['BulkUsersInput'], 'user_ids' | 'status'>;

/** Returns the staff members who can be the account manager of a customer. */
export function useAccountManagers(): readonly UserSearchResult[] {
  const { data } = useQuery({
    queryKey: ['account-managers'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/available-sellers'))).data,
  });
  return data ?? [];
}

export function BulkEditForm({ value, onChange, errors }: FormProps<UserRow, BulkUserChanges>) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const accountManagers = useAccountManagers();
  const grades = useGrades(hasPermission('manage grades for user'));
  const setFields = (changes: BulkUserChanges) => onChange({ ...value, ...changes });
  const renderField = (name: keyof BulkUserChanges, label: string, control: ReactNode) => (
    <OptionalField
      label={label}
      isIncluded={name in value}
      onToggle={(isIncluded) => {
        const { [name]: _, ...otherFields } = value;
        onChange(isIncluded ? { ...otherFields, [name]: null } : otherFields);
      }}
      errors={errors[name]}
    >
      {control}
    </OptionalField>
  );
  return (
    <>
      <p className="field-hint">{t('users.bulkHint')}</p>
      {renderField(
        'seller_id',
        t('users.columns.manager'),
        <Select
          label={t('users.columns.manager')}
          value={value.seller_id ?? null}
          options={accountManagers.map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={t('users.noManager')}
          isClearable
          onChange={(seller_id) => setFields({ seller_id })}
        />,
      )}
      {hasPermission('manage grades for user') &&
        renderField(
          'grade_id',
          t('users.columns.grade'),
          <Select
            label={t('users.columns.grade')}
            value={value.grade_id ?? null}
            options={grades.map((grade) => ({ value: grade.id, label: grade.name }))}
            placeholder={t('users.noValue')}
            isClearable
            onChange={(grade_id) => setFields({ grade_id })}
          />,
        )}
      {renderField(
        'contact_step',
        t('users.contactStep'),
        <Select
          label={t('users.contactStep')}
          value={value.contact_step ?? null}
          options={ContactStep.map((step) => ({ value: step, label: t(`contactStep.${step}`) }))}
          placeholder={t('users.noValue')}
          isClearable
          onChange={(contact_step) => setFields({ contact_step })}
        />,
      )}
      {renderField(
        'referral_program_fraction',
        t('users.referralPercent'),
        <PercentInput onChange={(referral_program_fraction) => setFields({ referral_program_fraction })} />,
      )}
      {renderField(
        'affiliate_id',
        t('users.columns.affiliate'),
        <AffiliatePicker onChange={(affiliate_id) => setFields({ affiliate_id })} />,
      )}
    </>
  );
}

/**
 * `PercentInput` and `AffiliatePicker` hold their text in their own state and are unmounted while the field is not checked. When
 * the field is checked again, they are therefore empty, like the value of the field, which is then null.
 */
function PercentInput({ onChange }: { onChange: (fraction: string | null) => void }) {
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
        onChange(fractionAsPercentCodec.parse(event.target.value));
      }}
    />
  );
}

function AffiliatePicker({ onChange }: { onChange: (id: number | null) => void }) {
  const { t } = useTranslation();
  const [user, setUser] = useState<UserSearchResult | null>(null);
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
  isIncluded: boolean;
  onToggle: (isIncluded: boolean) => void;
  errors?: readonly string[] | undefined;
  children: ReactNode;
}

/** A field below a checkbox. The request contains the field only if the checkbox is checked. */
function OptionalField({ label, isIncluded, onToggle, errors, children }: OptionalFieldProps) {
  return (
    <div className="part">
      <Checkbox label={label} checked={isIncluded} onChange={onToggle} />
      {isIncluded && children}
      {errors && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
