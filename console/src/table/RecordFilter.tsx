// The filter of a column that refers to records. The user looks up records and adds them one by one. The chip of a record removes it.
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { Picker } from '@/ui/Picker';
import { parseIds, RECORD_LOOKUPS, type RecordKind, type RecordOption, useRecordTexts } from './recordLookups';

interface Props {
  kind: RecordKind;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function RecordFilter({ kind, label, value, onChange }: Props) {
  const { t } = useTranslation();
  const lookup = RECORD_LOOKUPS[kind];
  const ids = parseIds(value);
  const texts = useRecordTexts(kind, ids, useHasPermission()(lookup.permission), t);
  const [firstId] = ids;
  const firstText = firstId === undefined ? value : (texts.get(firstId) ?? String(firstId));
  const summary = ids.length > 1 ? t('table.selectedValueCount', { count: ids.length }) : firstText;
  return (
    <Picker<RecordOption>
      label={label}
      value={null}
      placeholder={summary || t('table.anyValue')}
      emptyText={t(lookup.noMatchesKey)}
      search={(query) => lookup.search(query.trim(), t)}
      formatLabel={({ text }) => text}
      onChange={(record) => record && onChange([...new Set([...ids, record.id])].join(','))}
    />
  );
}
