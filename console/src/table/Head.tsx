// Column headings with sorting, and the filter of each column below.
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
  const filtered = columns.some((column) => column.filter);
  return (
    <thead>
      <tr>
        {table.list.actions && <PageCheckbox table={table} />}
        {columns.map((column) => (
          <Heading
            key={column.name}
            name={column.name}
            text={t(column.label as 'columns.orders.id')}
            width={column.width}
            align={column.align}
            sortable={column.sortable !== false}
            sort={sort.find((one) => one.column === column.name)}
            onSort={(isAdditional) => table.change({ sort: nextSort(sort, column.name, isAdditional) })}
          />
        ))}
        <th className="grid-menu" scope="col">
          <span className="sr">{t('table.actions')}</span>
        </th>
      </tr>
      {filtered && (
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
                  onChange={(value, step) => table.filter(filterName(column), value, step)}
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
  text: string;
  width: number;
  align?: 'end' | undefined;
  sortable: boolean;
  sort: Sort | undefined;
  onSort: (isAdditional: boolean) => void;
}

const Heading = memo(function Heading({ text, width, align, sortable, sort, onSort }: HeadingProps) {
  const direction = sort && (sort.descending ? 'descending' : 'ascending');
  const icon = sort ? (sort.descending ? 'sort-down-fill' : 'sort-up-fill') : 'sort';
  return (
    <th scope="col" style={{ width }} data-align={align} aria-sort={direction}>
      {sortable ? (
        <button type="button" className="sort" onClick={(event) => onSort(event.shiftKey)}>
          <span>{text}</span>
          <i className={`pi pi-${icon}`} data-on={sort ? true : undefined} aria-hidden />
        </button>
      ) : (
        text
      )}
    </th>
  );
});

/** Selects all rows of the page; indeterminate while some of them are selected. */
function PageCheckbox<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const selection = useSelection(table.selection);
  const rows = table.rows ?? [];
  const selectedCount = rows.filter((row) => selection.has(row.id)).length;
  const all = rows.length > 0 && selectedCount === rows.length;
  return (
    <th className="grid-box" scope="col">
      <input
        type="checkbox"
        aria-label={t('table.selectPage')}
        checked={all}
        aria-disabled={table.stale || undefined}
        ref={(box) => {
          if (box) box.indeterminate = selectedCount > 0 && !all;
        }}
        onChange={() => !table.stale && selection.togglePage(rows, !all)}
      />
    </th>
  );
}
