// Chooses the visible columns, their order and the row density, with checkboxes and buttons instead of dragging.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';
import { setDensity, useDensity } from './density';
import type { Column } from './listDefinition';

interface Props<Row> {
  all: readonly Column<Row>[];
  shown: readonly string[];
  show: (names: readonly string[]) => void;
  onClose: () => void;
}

export function ColumnsDialog<Row>({ all, shown, show, onClose }: Props<Row>) {
  const { t } = useTranslation();
  const density = useDensity();
  const move = (name: string, by: number) => {
    const names = [...shown];
    const at = names.indexOf(name);
    names.splice(at, 1);
    names.splice(at + by, 0, name);
    show(names);
  };
  const toggle = (name: string) => {
    const next = shown.includes(name)
      ? shown.filter((one) => one !== name)
      : all.map((column) => column.name).filter((one) => one === name || shown.includes(one));
    if (next.length > 0) show(next);
  };
  return (
    <Dialog
      title={t('table.columns')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('table.columnsReset')} onClick={() => show([])} />
          <Button variant="filled" label={t('ui.done')} onClick={onClose} data-autofocus />
        </>
      }
    >
      <Checkbox
        label={t('table.comfortable')}
        checked={density === 'comfortable'}
        onChange={(on) => setDensity(on ? 'comfortable' : 'compact')}
      />
      <ul className="columns">
        {all.map((column) => {
          const text = t(column.label as 'columns.orders.id');
          const at = shown.indexOf(column.name);
          return (
            <li key={column.name}>
              <label className="tick">
                <input type="checkbox" checked={at >= 0} onChange={() => toggle(column.name)} />
                <span>{text}</span>
              </label>
              <Button
                variant="plain"
                iconOnly
                icon="angle-up"
                label={t('table.columnUp', { column: text })}
                disabled={at < 1}
                onClick={() => move(column.name, -1)}
              />
              <Button
                variant="plain"
                iconOnly
                icon="angle-down"
                label={t('table.columnDown', { column: text })}
                disabled={at < 0 || at === shown.length - 1}
                onClick={() => move(column.name, 1)}
              />
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
