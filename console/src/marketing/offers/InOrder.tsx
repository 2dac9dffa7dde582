// Some records in an order of their own, as a field of a form: added by whatever stands below, sorted, taken out.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { parseRows, rows } from '@/form/codecs';
import { Button } from '@/ui/Button';
import { moveItem } from '@/ui/order';
import { SortableList } from '@/ui/SortableList';

export interface Named {
  id: number;
  name: string;
}

/** Records in a field; a body has their ids. */
export const named = rows<number, Named>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: (add: (one: Named) => void) => ReactNode;
}

export function InOrder({ label, value, onChange, children }: Props) {
  const { t } = useTranslation();
  const items = parseRows<Named>(value);
  const set = (items: readonly Named[]) => onChange(named.format(items));
  return (
    <fieldset className="part">
      <legend>{label}</legend>
      <SortableList
        label={label}
        items={items}
        onMove={(from, to) => set(moveItem(items, from, to))}
        renderExtra={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('offers.remove', { name })}
            onClick={() => set(items.filter((one) => one.id !== id))}
          />
        )}
      />
      {children((one) => !items.some(({ id }) => id === one.id) && set([...items, one]))}
    </fieldset>
  );
}
