// The filter of a column that refers to records: records are looked up and added one by one; their chips remove them.
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { Picker } from '@/ui/Picker';
import { parseIds, RECORDS, type RecordHit, type RecordKind, useRecordTexts } from './records';

interface Props {
  of: RecordKind;
  label: string;
  /** Comma-separated ids. */
  value: string;
  onChange: (value: string) => void;
}

export function RecordFilter({ of, label, value, onChange }: Props) {
  const { t } = useTranslation();
  const kind = RECORDS[of];
  const ids = parseIds(value);
  const texts = useRecordTexts(of, ids, useHasPermission()(kind.permission), t);
  const [first] = ids;
  const one = first === undefined ? value : (texts.get(first) ?? String(first));
  const summary = ids.length > 1 ? t('table.chosen', { count: ids.length }) : one;
  return (
    <Picker<RecordHit>
      label={label}
      value={null}
      placeholder={summary || t('table.any')}
      empty={t(kind.empty)}
      find={(query) => kind.find(query.trim(), t)}
      labelOf={({ text }) => text}
      onChange={(hit) => hit && onChange([...new Set([...ids, hit.id])].join(','))}
    />
  );
}
