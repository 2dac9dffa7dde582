// The dialog with the filters of hidden columns, so that the user can filter by a column that the table does not show.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { FilterControl } from './FilterControl';
import { type Column, getFilterName } from './listDefinition';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly Column<Row>[];
  onClose: () => void;
}

export function FiltersDialog<Row extends { id: number }>({ table, columns, onClose }: Props<Row>) {
  const { t } = useTranslation();
  return (
    <Dialog
      title={t('table.moreFilters')}
      onClose={onClose}
      footer={<Button variant="filled" label={t('ui.done')} onClick={onClose} />}
    >
      <div className="form">
        {columns.map((column) => {
          const label = t(column.label as 'columns.orders.id');
          return (
            <div key={column.name} className="field">
              <span className="field-label" aria-hidden>
                {label}
              </span>
              {column.filter && (
                <FilterControl
                  filter={column.filter}
                  label={t('table.filterBy', { column: label })}
                  value={table.state.filters[getFilterName(column)] ?? ''}
                  errors={table.filterErrors[getFilterName(column)]}
                  onChange={(value, pushHistory) => table.setFilter(getFilterName(column), value, pushHistory)}
                />
              )}
            </div>
          );
        })}
      </div>
    </Dialog>
  );
}
