// The dialog in which the user selects the visible columns, their order and the row density. Buttons move a column, because
// dragging needs a mouse.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';
import { setDensity, useDensity } from './density';
import type { Column } from './listDefinition';

interface Props<Row> {
  columns: readonly Column<Row>[];
  visibleColumnNames: readonly string[];
  /** An empty list restores the declared columns. */
  setVisibleColumnNames: (names: readonly string[]) => void;
  onClose: () => void;
}

export function ColumnsDialog<Row>({ columns, visibleColumnNames, setVisibleColumnNames, onClose }: Props<Row>) {
  const { t } = useTranslation();
  const density = useDensity();
  const move = (name: string, step: number) => {
    const names = [...visibleColumnNames];
    const index = names.indexOf(name);
    names.splice(index, 1);
    names.splice(index + step, 0, name);
    setVisibleColumnNames(names);
  };
  const toggle = (name: string) => {
    const newNames = visibleColumnNames.includes(name)
      ? visibleColumnNames.filter((visibleName) => visibleName !== name)
      : columns
          .map((column) => column.name)
          .filter((columnName) => columnName === name || visibleColumnNames.includes(columnName));
    // At least one column must stay visible.
    if (newNames.length > 0) setVisibleColumnNames(newNames);
  };
  return (
    <Dialog
      title={t('table.columns')}
      onClose={onClose}
      footer={
        <>
          <Button label={t('table.resetColumns')} onClick={() => setVisibleColumnNames([])} />
          <Button variant="filled" label={t('ui.done')} onClick={onClose} data-autofocus />
        </>
      }
    >
      <Checkbox
        label={t('table.comfortableDensity')}
        checked={density === 'comfortable'}
        onChange={(checked) => setDensity(checked ? 'comfortable' : 'compact')}
      />
      <ul className="columns">
        {columns.map((column) => {
          const label = t(column.label as 'columns.orders.id');
          const index = visibleColumnNames.indexOf(column.name);
          return (
            <li key={column.name}>
              <label className="tick">
                <input type="checkbox" checked={index >= 0} onChange={() => toggle(column.name)} />
                <span>{label}</span>
              </label>
              <Button
                variant="plain"
                iconOnly
                icon="angle-up"
                label={t('table.moveColumnForward', { column: label })}
                disabled={index < 1}
                onClick={() => move(column.name, -1)}
              />
              <Button
                variant="plain"
                iconOnly
                icon="angle-down"
                label={t('table.moveColumnBack', { column: label })}
                disabled={index < 0 || index === visibleColumnNames.length - 1}
                onClick={() => move(column.name, 1)}
              />
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
