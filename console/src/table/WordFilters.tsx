// Filters over few known values.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { countries } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { Select } from '@/ui/Select';
import { type ChoiceList, useChoices } from './choices';
import { type Filter, wordText } from './declare';

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

/** Many words: they are found by a part of them. */
export function ChoicesFilter({ of, label, value, onChange }: Props & { of: ChoiceList }) {
  const { t, i18n } = useTranslation();
  const labelOf = (word: string) => (of === 'countries' ? countries([word], localeOf(i18n.language).tag) : word);
  const words = useChoices(of);
  const chosen = value.split(',').filter(Boolean);
  // A link may hold a part of a word, which the list understands as well.
  const options = [...new Set([...chosen, ...words])].map((word) => ({ value: word, label: labelOf(word) }));
  return (
    <MultiSelect
      value={chosen}
      options={options}
      onChange={(event) => onChange((event.value as string[]).join(','))}
      placeholder={t('table.any')}
      maxSelectedLabels={1}
      selectedItemsLabel={t('table.chosen', { count: chosen.length })}
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
