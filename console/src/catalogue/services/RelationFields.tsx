// The fields for the service type, the labels and the countries of a service.
import { useTranslation } from 'react-i18next';
import { ConflictNote, useConflictText } from '@/form/Conflict';
import { commaListCodec, parseCommaList } from '@/form/codecs';
import { collectFieldErrors } from '@/form/problems';
import { Checkbox, Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { Select } from '@/ui/Select';
import { useCountries, useLabelNames, useServiceTypeOptions } from './requests';
import type { SectionProps } from './SectionFields';

export function ServiceTypeField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const options = useServiceTypeOptions();
  const conflict = useConflictText(conflicts)(
    'service_type_id',
    (id) => options.find(({ value }) => value === id)?.label,
  );
  return (
    <Field label={t('services.columns.type')} conflict={conflict} errors={errors.service_type_id}>
      {(controlProps) => (
        <Select
          id={controlProps.id}
          label={t('services.columns.type')}
          value={values.service_type_id || null}
          options={options}
          onChange={(id) => onChange('service_type_id', id ?? '')}
          invalid={Boolean(errors.service_type_id)}
        />
      )}
    </Field>
  );
}

export function LabelsField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const labels = useLabelNames();
  const selectedIds = parseCommaList(values.labels);
  const toggleLabel = (id: string, isSelected: boolean) =>
    onChange(
      'labels',
      commaListCodec.format(
        (isSelected ? [...selectedIds, id] : selectedIds.filter((selectedId) => selectedId !== id)).sort(
          (a, b) => +a - +b,
        ),
      ),
    );
  return (
    <fieldset className="part">
      <legend>{t('services.fields.labels')}</legend>
      {labels.length === 0 && <p className="hint">{t('services.noLabels')}</p>}
      {labels.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          checked={selectedIds.includes(String(id))}
          onChange={(checked) => toggleLabel(String(id), checked)}
        />
      ))}
      {errors.labels && <small className="field-error">{errors.labels.join(' ')}</small>}
      <ConflictNote conflicts={conflicts} name="labels" />
    </fieldset>
  );
}

export function CountriesField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const countries = useCountries();
  return (
    <Field
      label={t('services.fields.countries')}
      hint={t('services.hints.countries')}
      conflict={useConflictText(conflicts)('countries', (codes) => parseCommaList(codes).join(', '))}
      errors={collectFieldErrors(errors, 'countries')}
    >
      {(controlProps) => (
        <MultiChoice
          id={controlProps.id}
          label={t('services.fields.countries')}
          value={parseCommaList(values.countries)}
          options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
          onChange={(countryCodes) => onChange('countries', commaListCodec.format(countryCodes.toSorted()))}
          placeholder={t('services.allCountries')}
          hasSearchField
        />
      )}
    </Field>
  );
}
