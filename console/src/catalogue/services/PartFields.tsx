// The fields of one part of the service editor.
import { useTranslation } from 'react-i18next';
import { DescriptionLocation, PanelServiceType } from '@/api/words';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import type { FieldErrors } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { type FieldName, OF_OWN_KIND, SERVICE } from './fields';

export interface PartProps {
  values: FormValues;
  errors: FieldErrors;
  /** What others saved meanwhile where something else was typed here, by name. */
  conflicts: FormValues;
  onChange: (name: string, value: string) => void;
}

/** A service is imported as a subscription, never made one. */
const TYPES = PanelServiceType.filter((type) => type !== 'Subscriptions');

function useDeclared(): (name: FieldName) => FormField {
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

export function PartFields({ names, onChange, ...shown }: PartProps & { names: readonly FieldName[] }) {
  const { t } = useTranslation();
  const declared = useDeclared();
  const ofOwnKind = names.filter((name) => OF_OWN_KIND.includes(name));
  return (
    <div className="form form-wide">
      {names.map((name) => (
        <DeclaredField
          key={name}
          field={declared(name)}
          first={false}
          spec={SERVICE}
          {...shown}
          onChange={(value) => onChange(name, value)}
        />
      ))}
      {ofOwnKind.length > 0 && (
        <p className="hint">
          {t('services.ownKind', { names: ofOwnKind.map((name) => t(`services.fields.${name}`)).join(', ') })}
        </p>
      )}
    </div>
  );
}
