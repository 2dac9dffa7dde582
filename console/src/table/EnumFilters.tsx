// Filters over enumerations and flags.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { formatCountries } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { Select } from '@/ui/Select';
import { type ChoiceList, useChoices } from './choices';
import { enumText, type Filter } from './listDefinition';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function EnumFilter({ filter, label, value, onChange }: Props & { filter: Extract<Filter, { kind: 'enum' }> }) {
  const { t } = useTranslation();
  const options = filter.values.map((option) => ({ value: option, label: enumText(filter, option, t) }));
  return (
    <MultiSelect
      value={value.split(',').filter(Boolean)}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.any')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.chosen', { count: value.split(',').length })}
      showSelectAll={false}
      panelHeaderTemplate={<span />}
      aria-label={label}
      display="comma"
    />
  );
}

/** For long lists of values: the user can search the options. */
export function ChoicesFilter({ list, label, value, onChange }: Props & { list: ChoiceList }) {
  const { t, i18n } = useTranslation();
  const optionLabel = (option: string) =>
    list === 'countries' ? formatCountries([option], localeOf(i18n.language).tag) : option;
  const choices = useChoices(list);
  const selectedValues = value.split(',').filter(Boolean);
  // The filter in a link may be only a part of a value: the server accepts that, so it is an option as well.
  const options = [...new Set([...selectedValues, ...choices])].map((option) => ({
    value: option,
    label: optionLabel(option),
  }));
  return (
    <MultiSelect
      value={selectedValues}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.any')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.chosen', { count: selectedValues.length })}
      showSelectAll={false}
      filter
      filterPlaceholder={t('table.search')}
      aria-label={label}
      display="comma"
    />
  );
}

export function FlagFilter({ label, value, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <Select
      label={label}
      value={value || null}
      options={[
        { value: '1', label: t('ui.yes') },
        { value: '0', label: t('ui.no') },
      ]}
      placeholder={t('table.any')}
      clearable
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
