// What a service hangs on: its type, its labels, who delivers it and in which order, and where it is sold.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Field, Tick } from '@/ui/Field';
import { moved } from '@/ui/order';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { type Service, useCountries, useLabelNames, useProviderNames, useTypeOptions } from './calls';
import type { PartProps } from './FieldsOf';

const list = (text: string | undefined) => (text ?? '').split(',').filter(Boolean);

export function TypeField({ values, errors, onChange }: PartProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('services.columns.type')} errors={errors.service_type_id}>
      {(given) => (
        <Select
          id={given.id}
          label={t('services.columns.type')}
          value={values.service_type_id || null}
          options={useTypeOptions()}
          onChange={(id) => onChange('service_type_id', id ?? '')}
          invalid={Boolean(errors.service_type_id)}
        />
      )}
    </Field>
  );
}

export function Labels({ values, errors, onChange }: PartProps) {
  const { t } = useTranslation();
  const labels = useLabelNames();
  const chosen = list(values.labels);
  const toggle = (id: string, on: boolean) =>
    onChange('labels', (on ? [...chosen, id] : chosen.filter((one) => one !== id)).sort((a, b) => +a - +b).join(','));
  return (
    <fieldset className="part">
      <legend>{t('services.fields.labels')}</legend>
      {labels.length === 0 && <p className="hint">{t('services.noLabels')}</p>}
      {labels.map(({ id, name }) => (
        <Tick key={id} label={name} checked={chosen.includes(String(id))} onChange={(on) => toggle(String(id), on)} />
      ))}
      {errors.labels && <small className="field-error">{errors.labels.join(' ')}</small>}
    </fieldset>
  );
}

export function Countries({ values, errors, onChange }: PartProps) {
  const { t } = useTranslation();
  const countries = useCountries();
  const wrong = Object.entries(errors).flatMap(([name, all]) => (name.startsWith('countries') ? all : []));
  return (
    <Field label={t('services.fields.countries')} hint={t('services.hints.countries')} errors={wrong}>
      {(given) => (
        <MultiSelect
          inputId={given.id}
          aria-label={t('services.fields.countries')}
          value={list(values.countries)}
          options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
          onChange={({ value }) => onChange('countries', ((value as string[] | null) ?? []).toSorted().join(','))}
          placeholder={t('services.everywhere')}
          filter
          display="chip"
        />
      )}
    </Field>
  );
}

/** Providers in the order they are tried. */
export function Providers({ values, errors, onChange, service }: PartProps & { service: Service | null }) {
  const { t } = useTranslation();
  const known = useProviderNames(useMay()('manage services and providers'));
  const names = new Map([...(service?.providers ?? []), ...known].map(({ id, name }) => [id, name]));
  const chosen = list(values.providers).map(Number);
  const set = (ids: readonly number[]) => onChange('providers', ids.join(','));
  const wrong = Object.entries(errors).flatMap(([name, all]) => (name.startsWith('providers') ? all : []));
  return (
    <fieldset className="part">
      <legend>{t('services.fields.providers')}</legend>
      <p className="hint">{t('services.hints.providers')}</p>
      <SortableList
        label={t('services.fields.providers')}
        items={chosen.map((id) => ({ id, name: names.get(id) ?? String(id) }))}
        onMove={(from, to) => set(moved(chosen, from, to))}
        more={({ id, name }) => (
          <Button
            look="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
            onClick={() => set(chosen.filter((one) => one !== id))}
          />
        )}
      />
      <Select
        label={t('services.addProvider')}
        value={null}
        placeholder={t('services.addProvider')}
        options={known.filter(({ id }) => !chosen.includes(id)).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => id !== null && set([...chosen, id])}
      />
      {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
    </fieldset>
  );
}
