// The fields of one part of the service editor.
import { useTranslation } from 'react-i18next';
import { Field, Tick } from '@/ui/Field';
import { Select } from '@/ui/Select';
import { PANEL_SERVICE_TYPES, type ServiceField, type Values } from './fields';

export interface PartProps {
  values: Values;
  errors: Readonly<Record<string, readonly string[]>>;
  /** What others saved meanwhile where something else was typed here, by name. */
  clashes: Values;
  onChange: (name: string, value: string) => void;
}

const INPUT = { text: 'text', whole: 'numeric', money: 'decimal', decimal: 'decimal', percent: 'decimal' } as const;

export function FieldsOf({
  fields,
  values,
  errors,
  clashes,
  onChange,
}: PartProps & { fields: readonly ServiceField[] }) {
  const { t } = useTranslation();
  return (
    <div className="form form-wide">
      {fields.map(({ name, mode, hint }) => {
        const label = t(`services.fields.${name as 'slug'}`);
        const value = values[name] ?? '';
        if (mode === 'tick') {
          return (
            <Tick
              key={name}
              label={label}
              checked={value === 'yes'}
              errors={errors[name]}
              onChange={(on) => onChange(name, on ? 'yes' : '')}
            />
          );
        }
        const clash = name in clashes && t('ui.newer.clash', { value: clashes[name] || '–' });
        const usual = hint && t(`services.hints.${name as 'slug'}`);
        return (
          <Field key={name} label={label} hint={clash || usual} errors={errors[name]}>
            {(given) => {
              if (mode === 'choice') {
                return (
                  <Select
                    id={given.id}
                    label={label}
                    value={value}
                    options={
                      name === 'panel_service_type'
                        ? PANEL_SERVICE_TYPES.map((word) => ({ value: word, label: word }))
                        : (['header', 'footer'] as const).map((word) => ({
                            value: word,
                            label: t(`services.locations.${word}`),
                          }))
                    }
                    onChange={(chosen) => onChange(name, chosen ?? value)}
                  />
                );
              }
              const shared = { ...given, className: 'input', value };
              if (mode === 'long') {
                return <textarea {...shared} rows={2} onChange={(event) => onChange(name, event.target.value)} />;
              }
              return (
                <input {...shared} inputMode={INPUT[mode]} onChange={(event) => onChange(name, event.target.value)} />
              );
            }}
          </Field>
        );
      })}
      {fields.some(({ ownKind }) => ownKind) && (
        <p className="hint">
          {t('services.ownKind', {
            names: fields
              .filter(({ ownKind }) => ownKind)
              .map(({ name }) => t(`services.fields.${name as 'slug'}`))
              .join(', '),
          })}
        </p>
      )}
    </div>
  );
}
