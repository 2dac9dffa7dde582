// The head of the table: a heading per column, which sorts by it, and below the heading the column's filter.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Sort } from '@/api/table';
import { FilterControl } from './FilterControl';
import { type Column, filterName } from './listDefinition';
import { useSelection } from './selection';
import { nextSort } from './state';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly Column<Row>[];
}

export function Head<Row extends { id: number }>({ table, columns }: Props<Row>) {
  const { t } = useTranslation();
  const { sort, filters } = table.state;
  const hasFilters = columns.some((column) => column.filter);
  return (
    <thead>
      <tr>
        {table.list.actions && <PageCheckbox table={table} />}
        {columns.map((column) => (
          <Heading
            key={column.name}
            name={column.name}
            label={t(column.label as 'columns.orders.id')}
            width={column.width}
            align={column.align}
            sortable={column.sortable !== false}
            sort={sort.find((entry) => entry.column === column.name)}
            onSort={(isAdditional) => table.change({ sort: nextSort(sort, column.name, isAdditional) })}
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
                  value={filters[filterName(column)] ?? ''}
                  errors={table.filterErrors[filterName(column)]}
                  onChange={(value, pushHistory) => table.filter(filterName(column), value, pushHistory)}
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

interface HeadingProps {
  name: string;
  label: string;
  width: number;
  align?: 'end' | undefined;
  sortable: boolean;
  sort: Sort | undefined;
  onSort: (isAdditional: boolean) => void;
}

const Heading = memo(function Heading({ label, width, align, sortable, sort, onSort }: HeadingProps) {
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

/** Selects all rows of the page; indeterminate if only some of them are selected. */
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
        aria-disabled={table.stale || undefined}
        ref={(checkbox) => {
          if (checkbox) checkbox.indeterminate = selectedCount > 0 && !isPageSelected;
        }}
        onChange={() => !table.stale && selection.togglePage(rows, !isPageSelected)}
      />
    </th>
  );
}
