// Filters over enumerations and flags.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { formatCountries } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { Select } from '@/ui/Select';
import { type ChoiceList, useChoices } from './choices';
import { type Filter, wordText } from './listDefinition';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function WordsFilter({
  filter,
  label,
  value,
  onChange,
}: Props & { filter: Extract<Filter, { kind: 'words' }> }) {
  const { t } = useTranslation();
  const options = filter.words.map((word) => ({ value: word, label: wordText(filter, word, t) }));
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

/** For long lists of values: the options can be searched. */
export function ChoicesFilter({ of, label, value, onChange }: Props & { of: ChoiceList }) {
  const { t, i18n } = useTranslation();
  const optionLabel = (word: string) =>
    of === 'countries' ? formatCountries([word], localeOf(i18n.language).tag) : word;
  const words = useChoices(of);
  const selected = value.split(',').filter(Boolean);
  // A link may have a part of a value, which the server accepts too.
  const options = [...new Set([...selected, ...words])].map((word) => ({ value: word, label: optionLabel(word) }));
  return (
    <MultiSelect
      value={selected}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.any')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.chosen', { count: selected.length })}
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
