// Dialog in which the user selects the visible columns, their order and the row density. Buttons move a column, because dragging
// needs a mouse.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';
import { setDensity, useDensity } from './density';
import type { Column } from './listDefinition';

interface Props<Row> {
  columns: readonly Column<Row>[];
  visibleNames: readonly string[];
  /** An empty list restores the declared columns. */
  setVisible: (names: readonly string[]) => void;
  onClose: () => void;
}

export function ColumnsDialog<Row>({ columns, visibleNames, setVisible, onClose }: Props<Row>) {
  const { t } = useTranslation();
  const density = useDensity();
  const move = (name: string, step: number) => {
    const names = [...visibleNames];
    const index = names.indexOf(name);
    names.splice(index, 1);
    names.splice(index + step, 0, name);
    setVisible(names);
  };
  const toggle = (name: string) => {
    const next = visibleNames.includes(name)
      ? visibleNames.filter((other) => other !== name)
      : columns.map((column) => column.name).filter((other) => other === name || visibleNames.includes(other));
    if (next.length > 0) setVisible(next);
  };
  return (
    <Dialog
      title={t('table.columns')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('table.columnsReset')} onClick={() => setVisible([])} />
          <Button variant="filled" label={t('ui.done')} onClick={onClose} data-autofocus />
        </>
      }
    >
      <Checkbox
        label={t('table.comfortable')}
        checked={density === 'comfortable'}
        onChange={(checked) => setDensity(checked ? 'comfortable' : 'compact')}
      />
      <ul className="columns">
        {columns.map((column) => {
          const text = t(column.label as 'columns.orders.id');
          const index = visibleNames.indexOf(column.name);
          return (
            <li key={column.name}>
              <label className="tick">
                <input type="checkbox" checked={index >= 0} onChange={() => toggle(column.name)} />
                <span>{text}</span>
              </label>
              <Button
                variant="plain"
                iconOnly
                icon="angle-up"
                label={t('table.columnUp', { column: text })}
                disabled={index < 1}
                onClick={() => move(column.name, -1)}
              />
              <Button
                variant="plain"
                iconOnly
                icon="angle-down"
                label={t('table.columnDown', { column: text })}
                disabled={index < 0 || index === visibleNames.length - 1}
                onClick={() => move(column.name, 1)}
              />
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
