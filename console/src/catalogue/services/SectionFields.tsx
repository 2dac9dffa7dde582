// The fields of one section of the service editor.
import { useTranslation } from 'react-i18next';
import { DescriptionLocation, PanelServiceType } from '@/api/words';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import type { FieldErrors } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { type FieldName, SAME_SOFTWARE_FIELDS, SERVICE } from './fields';

export interface SectionProps {
  values: FormValues;
  errors: FieldErrors;
  /** By field name: the value that another staff member saved while this person typed another one. */
  conflicts: FormValues;
  onChange: (name: string, value: string) => void;
}

/** Staff cannot choose `Subscriptions`: only an import creates such services. */
const TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

function useFieldDeclaration(): (name: FieldName) => FormField {
  const { t } = useTranslation();
  const more: { [Name in FieldName]?: Partial<FormField> } = {
    admin_note: { rows: 2 },
    slug: { hint: t('services.hints.slug') },
    min_price: { hint: t('services.hints.min_price') },
    order_quantity_ratio: { hint: t('services.hints.order_quantity_ratio') },
    panel_service_type: {
      hint: t('services.hints.panel_service_type'),
      options: TYPES.map((word) => ({ value: word, label: word })),
    },
    full_description_location: {
      options: DescriptionLocation.map((word) => ({ value: word, label: t(`services.locations.${word}`) })),
    },
  };
  return (name) => ({ name, label: t(`services.fields.${name}`), ...more[name] });
}

export function SectionFields({ names, onChange, ...state }: SectionProps & { names: readonly FieldName[] }) {
  const { t } = useTranslation();
  const declarationOf = useFieldDeclaration();
  const sameSoftware = names.filter((name) => SAME_SOFTWARE_FIELDS.includes(name));
  return (
    <div className="form form-wide">
      {names.map((name) => (
        <DeclaredField
          key={name}
          field={declarationOf(name)}
          first={false}
          spec={SERVICE}
          {...state}
          onChange={(value) => onChange(name, value)}
        />
      ))}
      {sameSoftware.length > 0 && (
        <p className="hint">
          {t('services.ownKind', { names: sameSoftware.map((name) => t(`services.fields.${name}`)).join(', ') })}
        </p>
      )}
    </div>
  );
}
