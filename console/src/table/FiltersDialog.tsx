// The filters of columns that are not shown: what can be asked for does not hang on what is looked at.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { type Column, filterName } from './declare';
import { FilterControl } from './FilterControl';
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
      footer={<Button look="filled" label={t('ui.done')} onClick={onClose} />}
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
                  errors={table.wrong[filterName(column)]}
                  onChange={(value, step) => table.filter(filterName(column), value, step)}
                />
              )}
            </div>
          );
        })}
      </div>
    </Dialog>
  );
}
