// The form of the bulk action on packages: a discount or a fixed cost, and switches that enable or disable settings.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { type FormProps, getFieldErrorsOfAllRecords } from '@/table/action';
import { Field } from '@/ui/Field';
import { Switches, withField } from '../Switches';
import type { PackageRow } from './requests';

const NUMBER_FIELDS = ['discount_fraction', 'fixed_cost'] as const;
const SWITCH_FIELDS = ['is_enabled', 'restricted_access', 'sync'] as const;

/** The changes to each package. Numbers are strings, as the user typed them. */
export interface PackageBulkChange extends Pick<Schemas['BulkPackage'], (typeof SWITCH_FIELDS)[number]> {
  discount_fraction?: string;
  fixed_cost?: string;
  confirm_below_margin?: boolean;
}

export function BulkForm({ value, onChange, errors }: FormProps<PackageRow, PackageBulkChange>) {
  const { t } = useTranslation();
  const switches = SWITCH_FIELDS.map((name) => ({
    name,
    label: name === 'sync' ? t('packages.columns.sync') : t(`services.fields.${name}`),
  }));
  return (
    <div className="form">
      {NUMBER_FIELDS.map((name) => (
        <Field
          key={name}
          label={t(`packages.fields.${name}`)}
          hint={t('packages.bulkHint')}
          errors={getFieldErrorsOfAllRecords(errors, name).slice(0, 1)}
        >
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              inputMode="decimal"
              value={value[name] ?? ''}
              onChange={(event) => onChange(withField(value, name, event.target.value || undefined))}
            />
          )}
        </Field>
      ))}
      <Switches value={value} onChange={onChange} errors={errors} switches={switches} />
    </div>
  );
}
