// The filters of hidden columns: the user can filter by a column without showing it.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { FilterControl } from './FilterControl';
import { type Column, filterName } from './listDefinition';
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
                  value={table.state.filters[filterName(column)] ?? ''}
                  errors={table.filterErrors[filterName(column)]}
                  onChange={(value, pushHistory) => table.filter(filterName(column), value, pushHistory)}
                />
              )}
            </div>
          );
        })}
      </div>
    </Dialog>
  );
}
