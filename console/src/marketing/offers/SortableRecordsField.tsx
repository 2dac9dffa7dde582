// The form field for a sortable list of records. `children` renders the control that adds a record.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { parseRows, rowsCodec } from '@/form/codecs';
import { Button } from '@/ui/Button';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';

export interface NamedRecord {
  id: number;
  name: string;
}

/** The form value contains the records as JSON. The request body contains only their ids. */
export const namedRecordsCodec = rowsCodec<number, NamedRecord>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: (addRecord: (record: NamedRecord) => void) => ReactNode;
}

export function SortableRecordsField({ label, value, onChange, children }: Props) {
  const { t } = useTranslation();
  const items = parseRows<NamedRecord>(value);
  const setItems = (items: readonly NamedRecord[]) => onChange(namedRecordsCodec.format(items));
  return (
    <fieldset className="part">
      <legend>{label}</legend>
      <SortableList
        label={label}
        items={items}
        onMove={(fromIndex, toIndex) => setItems(moveItem(items, fromIndex, toIndex))}
        renderAfterName={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('offers.remove', { name })}
            onClick={() => setItems(items.filter((item) => item.id !== id))}
          />
        )}
      />
      {children((record) => !items.some(({ id }) => id === record.id) && setItems([...items, record]))}
    </fieldset>
  );
}
