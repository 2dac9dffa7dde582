// The rows of a list. React renders them once per response: selecting rows, typing in a filter or updating counters must not render
// them again.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';
import type { Column } from './listDefinition';
import type { OpenMenu } from './RowMenu';
import { type Selection, useIsSelected } from './selection';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly Column<Row>[];
  onOpenMenu: OpenMenu<Row>;
}

const SKELETON_ROWS = Array.from({ length: 12 }, (_, index) => index);

export function TableBody<Row extends { id: number }>({ table, columns, onOpenMenu }: Props<Row>) {
  const { rows, problem } = table;
  const columnCount = columns.length + (table.list.actions ? 2 : 1);
  if (!rows)
    return (
      <tbody aria-hidden>
        {!problem && SKELETON_ROWS.map((index) => <SkeletonRow key={index} columnCount={columnCount} />)}
      </tbody>
    );
  if (rows.length === 0) {
    return (
      <tbody>
        <tr>
          <td className="grid-none" colSpan={columnCount}>
            <EmptyState table={table} />
          </td>
        </tr>
      </tbody>
    );
  }
  return (
    <Rows
      rows={rows}
      columns={columns}
      selection={table.selection}
      isSelectable={table.list.actions !== undefined}
      isStale={table.isStale}
      onOpenMenu={onOpenMenu}
    />
  );
}

interface RowsProps<Row extends { id: number }> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  selection: Selection<Row>;
  isSelectable: boolean;
  /** Whether the rows belong to an earlier query. The user cannot select such rows. */
  isStale: boolean;
  onOpenMenu: OpenMenu<Row>;
}

const Rows = memo(function Rows<Row extends { id: number }>(props: RowsProps<Row>) {
  return (
    <tbody>
      {props.rows.map((row) => (
        <tr key={row.id} data-id={row.id}>
          {props.isSelectable && <RowCheckbox row={row} {...props} />}
          {props.columns.map((column) => (
            <td key={column.name} data-align={column.align}>
              {column.cell(row)}
            </td>
          ))}
          <td className="grid-menu">
            <MenuButton row={row} onOpenMenu={props.onOpenMenu} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}) as <Row extends { id: number }>(props: RowsProps<Row>) => React.ReactElement;

function RowCheckbox<Row extends { id: number }>(
  props: { row: Row } & Pick<RowsProps<Row>, 'rows' | 'selection' | 'isStale'>,
) {
  const { t } = useTranslation();
  const isSelected = useIsSelected(props.selection, props.row.id);
  return (
    <td className="grid-box">
      <input
        type="checkbox"
        aria-label={t('table.selectRow', { id: props.row.id })}
        checked={isSelected}
        aria-disabled={props.isStale || undefined}
        onChange={(event) =>
          !props.isStale &&
          props.selection.toggle(props.row.id, props.rows, (event.nativeEvent as MouseEvent).shiftKey === true)
        }
      />
    </td>
  );
}

function MenuButton<Row extends { id: number }>({ row, onOpenMenu }: { row: Row; onOpenMenu: OpenMenu<Row> }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="plain"
      iconOnly
      icon="ellipsis-v"
      label={t('table.rowMenu', { id: row.id })}
      aria-haspopup="menu"
      onClick={(event) => onOpenMenu(row, event)}
    />
  );
}

function SkeletonRow({ columnCount }: { columnCount: number }) {
  return (
    <tr className="grid-skeleton">
      <td colSpan={columnCount}>
        <span />
      </td>
    </tr>
  );
}

/** Explains why the page has no rows (empty list, no match, page after the last page), and offers a button that helps. */
function EmptyState<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  if (table.total > 0) {
    return (
      <Notice icon="step-backward-alt" title={t('table.pageIsEmpty')}>
        <Button label={t('table.firstPage')} onClick={() => table.changeState({ page: 1 })} />
      </Notice>
    );
  }
  const isFiltered = table.state.search !== '' || Object.keys(table.state.filters).length > 0;
  if (!isFiltered) return <Notice icon="inbox" title={t('table.noData')} />;
  return (
    <Notice icon="filter-slash" title={t('table.noMatches')} text={t('table.noMatchesHint')}>
      <Button label={t('table.resetFilters')} icon="filter-slash" onClick={table.resetFilters} />
    </Notice>
  );
}
