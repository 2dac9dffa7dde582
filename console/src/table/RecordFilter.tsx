// The filter of a column that refers to records: the user looks up records and adds them one by one; their chips remove them.
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { Picker } from '@/ui/Picker';
import { parseIds, RECORDS, type RecordHit, type RecordKind, useRecordTexts } from './records';

interface Props {
  kind: RecordKind;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function RecordFilter({ kind, label, value, onChange }: Props) {
  const { t } = useTranslation();
  const lookup = RECORDS[kind];
  const ids = parseIds(value);
  const texts = useRecordTexts(kind, ids, useHasPermission()(lookup.permission), t);
  const [firstId] = ids;
  const firstText = firstId === undefined ? value : (texts.get(firstId) ?? String(firstId));
  const summary = ids.length > 1 ? t('table.chosen', { count: ids.length }) : firstText;
  return (
    <Picker<RecordHit>
      label={label}
      value={null}
      placeholder={summary || t('table.any')}
      empty={t(lookup.empty)}
      search={(query) => lookup.search(query.trim(), t)}
      labelOf={({ text }) => text}
      onChange={(hit) => hit && onChange([...new Set([...ids, hit.id])].join(','))}
    />
  );
}
