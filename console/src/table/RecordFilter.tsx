// The filter of a column that names a record: records are looked up and added one by one; its chips take them away.
import { useTranslation } from 'react-i18next';
import { useMay } from '@/session/hooks';
import { Picker } from '@/ui/Picker';
import { idsOf, RECORDS, type RecordHit, type RecordKind, useRecordTexts } from './records';

interface Props {
  of: RecordKind;
  label: string;
  /** Ids by commas. */
  value: string;
  onChange: (value: string) => void;
}

export function RecordFilter({ of, label, value, onChange }: Props) {
  const { t } = useTranslation();
  const kind = RECORDS[of];
  const ids = idsOf(value);
  const texts = useRecordTexts(of, ids, useMay()(kind.permission), t);
  const [first] = ids;
  const one = first === undefined ? value : (texts.get(first) ?? String(first));
  const chosen = ids.length > 1 ? t('table.chosen', { count: ids.length }) : one;
  return (
    <Picker<RecordHit>
      label={label}
      value={null}
      placeholder={chosen || t('table.any')}
      empty={t(kind.empty)}
      find={(query) => kind.find(query.trim(), t)}
      shown={({ text }) => text}
      onChange={(hit) => hit && onChange([...new Set([...ids, hit.id])].join(','))}
    />
  );
}
