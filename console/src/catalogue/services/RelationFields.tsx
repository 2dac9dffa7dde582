// The relations of a service: its service type, its labels and the countries where it is sold.
import { useTranslation } from 'react-i18next';
import { ConflictMark, useConflictText } from '@/form/Conflict';
import { parseWords, words } from '@/form/codecs';
import { errorsAt } from '@/form/problems';
import { Checkbox, Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { Select } from '@/ui/Select';
import { useCountries, useLabelNames, useTypeOptions } from './calls';
import type { SectionProps } from './SectionFields';

export function ServiceTypeField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const options = useTypeOptions();
  const conflict = useConflictText(conflicts)(
    'service_type_id',
    (id) => options.find(({ value }) => value === id)?.label,
  );
  return (
    <Field label={t('services.columns.type')} conflict={conflict} errors={errors.service_type_id}>
      {(control) => (
        <Select
          id={control.id}
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
  const selected = parseWords(values.labels);
  const toggle = (id: string, on: boolean) =>
    onChange(
      'labels',
      words.format((on ? [...selected, id] : selected.filter((one) => one !== id)).sort((a, b) => +a - +b)),
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
          onChange={(on) => toggle(String(id), on)}
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
      conflict={useConflictText(conflicts)('countries', (codes) => parseWords(codes).join(', '))}
      errors={errorsAt(errors, 'countries')}
    >
      {(control) => (
        <MultiChoice
          id={control.id}
          label={t('services.fields.countries')}
          value={parseWords(values.countries)}
          options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
          onChange={(selected) => onChange('countries', words.format(selected.toSorted()))}
          placeholder={t('services.everywhere')}
          searchable
        />
      )}
    </Field>
  );
}
