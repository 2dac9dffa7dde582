// Filters over enumerations and flags.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { formatCountries } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';
import { Select } from '@/ui/Select';
import { type ChoiceList, useChoices } from './choices';
import { type Filter, translateEnumValue } from './listDefinition';

interface FilterInputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function EnumFilter({
  filter,
  label,
  value,
  onChange,
}: FilterInputProps & { filter: Extract<Filter, { kind: 'enum' }> }) {
  const { t } = useTranslation();
  const options = filter.values.map((enumValue) => ({
    value: enumValue,
    label: translateEnumValue(filter, enumValue, t),
  }));
  return (
    <MultiSelect
      value={value.split(',').filter(Boolean)}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.anyValue')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.selectedValueCount', { count: value.split(',').length })}
      showSelectAll={false}
      panelHeaderTemplate={<span />}
      aria-label={label}
      display="comma"
    />
  );
}

/** A filter for long lists of values, in which the user can search. */
export function ChoicesFilter({ list, label, value, onChange }: FilterInputProps & { list: ChoiceList }) {
  const { t, i18n } = useTranslation();
  const formatChoice = (choice: string) =>
    list === 'countries' ? formatCountries([choice], getLocale(i18n.language).tag) : choice;
  const choices = useChoices(list);
  const selectedValues = value.split(',').filter(Boolean);
  // The server also accepts a part of a value. A link may contain such a filter, so it must be one of the options.
  const options = [...new Set([...selectedValues, ...choices])].map((choice) => ({
    value: choice,
    label: formatChoice(choice),
  }));
  return (
    <MultiSelect
      value={selectedValues}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.anyValue')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.selectedValueCount', { count: selectedValues.length })}
      showSelectAll={false}
      filter
      filterPlaceholder={t('table.search')}
      aria-label={label}
      display="comma"
    />
  );
}

export function FlagFilter({ label, value, onChange }: FilterInputProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={label}
      value={value || null}
      options={[
        { value: '1', label: t('ui.yes') },
        { value: '0', label: t('ui.no') },
      ]}
      placeholder={t('table.anyValue')}
      isClearable
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
