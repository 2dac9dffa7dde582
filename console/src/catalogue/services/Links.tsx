// What a service hangs on: its type, its labels, and where it is sold.
import { useTranslation } from 'react-i18next';
import { words, wordsIn } from '@/form/codecs';
import { NewerMark, useNewer } from '@/form/Newer';
import { errorsAt } from '@/form/problems';
import { Field, Tick } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { Select } from '@/ui/Select';
import { useCountries, useLabelNames, useTypeOptions } from './calls';
import type { PartProps } from './PartFields';

export function TypeField({ values, errors, conflicts, onChange }: PartProps) {
  const { t } = useTranslation();
  const options = useTypeOptions();
  const newer = useNewer(conflicts)('service_type_id', (id) => options.find(({ value }) => value === id)?.label);
  return (
    <Field label={t('services.columns.type')} newer={newer} errors={errors.service_type_id}>
      {(given) => (
        <Select
          id={given.id}
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

export function Labels({ values, errors, conflicts, onChange }: PartProps) {
  const { t } = useTranslation();
  const labels = useLabelNames();
  const chosen = wordsIn(values.labels);
  const toggle = (id: string, on: boolean) =>
    onChange(
      'labels',
      words.format((on ? [...chosen, id] : chosen.filter((one) => one !== id)).sort((a, b) => +a - +b)),
    );
  return (
    <fieldset className="part">
      <legend>{t('services.fields.labels')}</legend>
      {labels.length === 0 && <p className="hint">{t('services.noLabels')}</p>}
      {labels.map(({ id, name }) => (
        <Tick key={id} label={name} checked={chosen.includes(String(id))} onChange={(on) => toggle(String(id), on)} />
      ))}
      {errors.labels && <small className="field-error">{errors.labels.join(' ')}</small>}
      <NewerMark conflicts={conflicts} name="labels" />
    </fieldset>
  );
}

export function Countries({ values, errors, conflicts, onChange }: PartProps) {
  const { t } = useTranslation();
  const countries = useCountries();
  return (
    <Field
      label={t('services.fields.countries')}
      hint={t('services.hints.countries')}
      newer={useNewer(conflicts)('countries', (codes) => wordsIn(codes).join(', '))}
      errors={errorsAt(errors, 'countries')}
    >
      {(given) => (
        <MultiChoice
          id={given.id}
          label={t('services.fields.countries')}
          value={wordsIn(values.countries)}
          options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
          onChange={(chosen) => onChange('countries', words.format(chosen.toSorted()))}
          placeholder={t('services.everywhere')}
          searchable
        />
      )}
    </Field>
  );
}
