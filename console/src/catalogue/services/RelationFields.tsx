// The fields for the service type, the labels and the countries of a service.
import { useTranslation } from 'react-i18next';
import { ConflictMark, useConflictTextOf } from '@/form/Conflict';
import { commaList, parseCommaList } from '@/form/codecs';
import { errorsAt } from '@/form/problems';
import { Checkbox, Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { Select } from '@/ui/Select';
import { useCountries, useLabelNames, useTypeOptions } from './calls';
import type { SectionProps } from './SectionFields';

export function ServiceTypeField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const options = useTypeOptions();
  const conflict = useConflictTextOf(conflicts)(
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
  const selected = parseCommaList(values.labels);
  const toggle = (id: string, isSelected: boolean) =>
    onChange(
      'labels',
      commaList.format(
        (isSelected ? [...selected, id] : selected.filter((other) => other !== id)).sort((a, b) => +a - +b),
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
          checked={selected.includes(String(id))}
          onChange={(checked) => toggle(String(id), checked)}
        />
      ))}
      {errors.labels && <small className="field-error">{errors.labels.join(' ')}</small>}
      <ConflictMark conflicts={conflicts} name="labels" />
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
      conflict={useConflictTextOf(conflicts)('countries', (codes) => parseCommaList(codes).join(', '))}
      errors={errorsAt(errors, 'countries')}
    >
      {(controlProps) => (
        <MultiChoice
          id={controlProps.id}
          label={t('services.fields.countries')}
          value={parseCommaList(values.countries)}
          options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
          onChange={(selected) => onChange('countries', commaList.format(selected.toSorted()))}
          placeholder={t('services.everywhere')}
          searchable
        />
      )}
    </Field>
  );
}
