// The head of the table: one heading per column, which sorts by the column, and the filter of the column below its heading.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Sort } from '@/api/table';
import { FilterControl } from './FilterControl';
import { type Column, getFilterName } from './listDefinition';
import { getNextSort } from './listState';
import { useSelection } from './selection';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly Column<Row>[];
}

export function TableHead<Row extends { id: number }>({ table, columns }: Props<Row>) {
  const { t } = useTranslation();
  const { sort, filters } = table.state;
  const hasFilters = columns.some((column) => column.filter);
  return (
    <thead>
      <tr>
        {table.list.actions && <PageCheckbox table={table} />}
        {columns.map((column) => (
          <ColumnHeading
            key={column.name}
            name={column.name}
            label={t(column.label as 'columns.orders.id')}
            width={column.width}
            align={column.align}
            sortable={column.sortable !== false}
            sort={sort.find((entry) => entry.column === column.name)}
            onSort={(isAdditional) => table.changeState({ sort: getNextSort(sort, column.name, isAdditional) })}
          />
        ))}
        <th className="grid-menu" scope="col">
          <span className="sr">{t('table.actions')}</span>
        </th>
      </tr>
      {hasFilters && (
        <tr className="grid-filters">
          {table.list.actions && <td className="grid-box" />}
          {columns.map((column) => (
            <td key={column.name}>
              {column.filter && (
                <FilterControl
                  filter={column.filter}
                  label={t('table.filterBy', { column: t(column.label as 'columns.orders.id') })}
                  value={filters[getFilterName(column)] ?? ''}
                  errors={table.filterErrors[getFilterName(column)]}
                  onChange={(value, pushHistory) => table.setFilter(getFilterName(column), value, pushHistory)}
                />
              )}
            </td>
          ))}
          <td className="grid-menu" />
        </tr>
      )}
    </thead>
  );
}

interface ColumnHeadingProps {
  name: string;
  label: string;
  width: number;
  align?: 'end' | undefined;
  sortable: boolean;
  sort: Sort | undefined;
  onSort: (isAdditional: boolean) => void;
}

const ColumnHeading = memo(function ColumnHeading({ label, width, align, sortable, sort, onSort }: ColumnHeadingProps) {
  const direction = sort && (sort.descending ? 'descending' : 'ascending');
  const icon = sort ? (sort.descending ? 'sort-down-fill' : 'sort-up-fill') : 'sort';
  return (
    <th scope="col" style={{ width }} data-align={align} aria-sort={direction}>
      {sortable ? (
        <button type="button" className="sort" onClick={(event) => onSort(event.shiftKey)}>
          <span>{label}</span>
          <i className={`pi pi-${icon}`} data-on={sort ? true : undefined} aria-hidden />
        </button>
      ) : (
        label
      )}
    </th>
  );
});

/** Selects all rows of the page. The checkbox is indeterminate if only some of these rows are selected. */
function PageCheckbox<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const selection = useSelection(table.selection);
  const rows = table.rows ?? [];
  const selectedCount = rows.filter((row) => selection.has(row.id)).length;
  const isPageSelected = rows.length > 0 && selectedCount === rows.length;
  return (
    <th className="grid-box" scope="col">
      <input
        type="checkbox"
        aria-label={t('table.selectPage')}
        checked={isPageSelected}
        aria-disabled={table.isStale || undefined}
        ref={(checkbox) => {
          if (checkbox) checkbox.indeterminate = selectedCount > 0 && !isPageSelected;
        }}
        onChange={() => !table.isStale && selection.togglePage(rows, !isPageSelected)}
      />
    </th>
  );
}
