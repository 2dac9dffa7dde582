// Fields above the lines of a service import: the values of all lines that have no edited value.
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { Checkbox, Field } from '@/ui/Field';
import { isPercentOrEmpty, type SharedValues } from './lines';
import { NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface Props {
  shared: SharedValues;
  errors: FieldErrors;
  onChange: (change: Partial<SharedValues>) => void;
}

export function SharedFields({ shared, errors, onChange }: Props) {
  const { t } = useTranslation();
  const marginErrors = isPercentOrEmpty(shared.margin) ? errors.margin_fraction : [t('imports.enterNumber')];
  return (
    <div className="import-shared">
      <Field label={t('panelServices.margin')} errors={marginErrors} hint={t('panelServices.marginHint')}>
        {(controlProps) => (
          <input
            {...controlProps}
            className="input"
            inputMode="decimal"
            data-autofocus
            value={shared.margin}
            onChange={(event) => onChange({ margin: event.target.value })}
          />
        )}
      </Field>
      <SelectField label={t('panelServices.network')}>
        <NetworkSelect
          label={t('panelServices.network')}
          value={shared.network_id}
          errors={errors.network_id ?? []}
          onChange={(network_id) => onChange({ network_id, service_type_id: null })}
        />
      </SelectField>
      <SelectField label={t('panelServices.serviceType')}>
        <ServiceTypeSelect
          label={t('panelServices.serviceType')}
          networkId={shared.network_id}
          value={shared.service_type_id}
          errors={errors.service_type_id ?? []}
          {...(shared.keep_categories ? { placeholder: t('imports.byCategory') } : {})}
          onChange={(service_type_id) => onChange({ service_type_id })}
        />
      </SelectField>
      <div className="field">
        <Checkbox
          label={t('imports.keepCategories')}
          checked={shared.keep_categories}
          onChange={(keep_categories) => onChange({ keep_categories })}
        />
        <small className="field-hint">{t('imports.keepCategoriesHint')}</small>
      </div>
    </div>
  );
}
