// The fields of one section of the service editor.
import { useTranslation } from 'react-i18next';
import { DescriptionLocation, PanelServiceType } from '@/api/enums';
import { type FormField, FormFieldControl } from '@/form/FormFieldControl';
import type { FieldErrors } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { type FieldName, SAME_SOFTWARE_FIELDS, SERVICE_FORM } from './fields';

export interface SectionProps {
  values: FormValues;
  errors: FieldErrors;
  /** By field name: the values that another staff member has saved in fields that the user has edited. */
  conflicts: FormValues;
  onChange: (name: string, value: string) => void;
}

/** The types that staff can select. `Subscriptions` is missing, because only an import creates such services. */
const SELECTABLE_TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

function useFieldDeclarations(): (name: FieldName) => FormField {
  const { t } = useTranslation();
  const overrides: { [Name in FieldName]?: Partial<FormField> } = {
    admin_note: { rows: 2 },
    slug: { hint: t('services.hints.slug') },
    min_price: { hint: t('services.hints.min_price') },
    order_quantity_ratio: { hint: t('services.hints.order_quantity_ratio') },
    panel_service_type: {
      hint: t('services.hints.panel_service_type'),
      options: SELECTABLE_TYPES.map((type) => ({ value: type, label: type })),
    },
    full_description_location: {
      options: DescriptionLocation.map((location) => ({ value: location, label: t(`services.locations.${location}`) })),
    },
  };
  return (name) => ({ name, label: t(`services.fields.${name}`), ...overrides[name] });
}

export function SectionFields({ names, onChange, ...fieldProps }: SectionProps & { names: readonly FieldName[] }) {
  const { t } = useTranslation();
  const getFieldDeclaration = useFieldDeclarations();
  const sameSoftwareFields = names.filter((name) => SAME_SOFTWARE_FIELDS.includes(name));
  return (
    <div className="form form-wide">
      {names.map((name) => (
        <FormFieldControl
          key={name}
          field={getFieldDeclaration(name)}
          autoFocus={false}
          spec={SERVICE_FORM}
          {...fieldProps}
          onChange={(value) => onChange(name, value)}
        />
      ))}
      {sameSoftwareFields.length > 0 && (
        <p className="hint">
          {t('services.sameProductFields', {
            names: sameSoftwareFields.map((name) => t(`services.fields.${name}`)).join(', '),
          })}
        </p>
      )}
    </div>
  );
}
