// What changes about many packages: a discount or a cost for each, and switches that stay, go on, or go off.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { errorsOfEach, type FormProps } from '@/table/action';
import { Field } from '@/ui/Field';
import { Switches, withField } from '../Switches';
import type { Row } from './calls';

const NUMBERS = ['discount_percent', 'fixed_cost'] as const;
const SWITCHES = ['is_enabled', 'restricted_access', 'sync'] as const;

/** What is to change about each package: numbers as they are typed. */
export interface PackageChange extends Pick<Schemas['BulkPackage'], (typeof SWITCHES)[number]> {
  discount_percent?: string;
  fixed_cost?: string;
  confirm_below_margin?: boolean;
}

export function BulkForm({ value, onChange, errors }: FormProps<Row, PackageChange>) {
  const { t } = useTranslation();
  const switches = SWITCHES.map((name) => ({
    name,
    label: name === 'sync' ? t('packages.columns.sync') : t(`services.fields.${name}`),
  }));
  return (
    <div className="form">
      {NUMBERS.map((name) => (
        <Field
          key={name}
          label={t(`packages.fields.${name}`)}
          hint={t('packages.bulkHint')}
          errors={errorsOfEach(errors, name).slice(0, 1)}
        >
          {(given) => (
            <input
              {...given}
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
