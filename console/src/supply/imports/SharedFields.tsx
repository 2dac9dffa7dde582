// Fields above the lines of a service import. Their values apply to all lines in which the user has not edited the field.
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { Checkbox, Field } from '@/ui/Field';
import { isPercentOrEmpty, type SharedValues } from './lines';
import { NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface Props {
  sharedValues: SharedValues;
  errors: FieldErrors;
  onChange: (change: Partial<SharedValues>) => void;
}

export function SharedFields({ sharedValues, errors, onChange }: Props) {
  const { t } = useTranslation();
  const marginErrors = isPercentOrEmpty(sharedValues.margin) ? errors.margin_fraction : [t('imports.enterNumber')];
  return (
    <div className="import-shared">
      <Field label={t('panelServices.margin')} errors={marginErrors} hint={t('panelServices.marginHint')}>
        {(controlProps) => (
          <input
            {...controlProps}
            className="input"
            inputMode="decimal"
            data-autofocus
            value={sharedValues.margin}
            onChange={(event) => onChange({ margin: event.target.value })}
          />
        )}
      </Field>
      <SelectField label={t('panelServices.network')}>
        <NetworkSelect
          label={t('panelServices.network')}
          value={sharedValues.network_id}
          errors={errors.network_id ?? []}
          onChange={(network_id) => onChange({ network_id, service_type_id: null })}
        />
      </SelectField>
      <SelectField label={t('panelServices.serviceType')}>
        <ServiceTypeSelect
          label={t('panelServices.serviceType')}
          networkId={sharedValues.network_id}
          value={sharedValues.service_type_id}
          errors={errors.service_type_id ?? []}
          {...(sharedValues.keep_categories ? { placeholder: t('imports.byCategory') } : {})}
          onChange={(service_type_id) => onChange({ service_type_id })}
        />
      </SelectField>
      <div className="field">
        <Checkbox
          label={t('imports.keepCategories')}
          checked={sharedValues.keep_categories}
          onChange={(keep_categories) => onChange({ keep_categories })}
        />
        <small className="field-hint">{t('imports.keepCategoriesHint')}</small>
      </div>
    </div>
  );
}
