// What changes about many packages: a discount or a cost for each, and switches that stay, go on, or go off.
import { useTranslation } from 'react-i18next';
import { errorsOfEach, type FormProps } from '@/table/action';
import { Field } from '@/ui/Field';
import { changed, Switches } from '../Switches';
import type { Row } from './calls';

const NUMBERS = ['discount_percent', 'fixed_cost'] as const;
const SWITCHES = ['is_enabled', 'restricted_access', 'sync'] as const;

export function BulkForm({ value, onChange, errors }: FormProps<Row>) {
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
              value={(value[name] as string | undefined) ?? ''}
              onChange={(event) => onChange(changed(value, name, event.target.value || undefined))}
            />
          )}
        </Field>
      ))}
      <Switches value={value} onChange={onChange} errors={errors} switches={switches} />
    </div>
  );
}
