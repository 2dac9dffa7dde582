// The screen that renders a `List`: heading, saved views, search, bulk bar, table and pagination. All differences between the
// resources are in their `List`.
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { ActionDialog } from './ActionDialog';
import type { AnyAction } from './action';
import { BulkBar } from './BulkBar';
import { ColumnsDialog } from './ColumnsDialog';
import { useColumns } from './columns';
import { useDensity } from './density';
import { ExportMenu } from './ExportMenu';
import { FilterChips } from './FilterChips';
import { FiltersDialog } from './FiltersDialog';
import type { List } from './listDefinition';
import { Pagination } from './Pagination';
import { RecordPreview } from './RecordPreview';
import { type OpenMenu, RowMenu } from './RowMenu';
import { SavedViews } from './SavedViews';
import { SearchBox } from './SearchBox';
import { TableBody } from './TableBody';
import { TableHead } from './TableHead';
import { useTable } from './useTable';
import { useTableShortcuts } from './useTableShortcuts';

interface ActionTarget<Row> {
  action: AnyAction<Row>;
  ids: readonly number[];
  row: Row | null;
}

/** `tools` are additional buttons in the toolbar, such as "New coupon". */
export function ServerTable<Row extends { id: number }>({ list, tools }: { list: List<Row>; tools?: ReactNode }) {
  const { t } = useTranslation();
  const table = useTable(list);
  const { columns, visibleColumns, hiddenFilterColumns, setVisibleColumns } = useColumns(list);
  const visibleColumnNames = visibleColumns.map((column) => column.name);
  const density = useDensity();
  const [isEditingColumns, setIsEditingColumns] = useState(false);
  const [isFiltering, setIsFiltering] = useState(false);
  const [actionTarget, setActionTarget] = useState<ActionTarget<Row> | null>(null);
  const [, navigate] = useLocation();
  const scrollRef = useRef<HTMLDivElement>(null);
  const openMenuRef = useRef<OpenMenu<Row>>(null);
  const openMenu = useCallback<OpenMenu<Row>>((row, event) => openMenuRef.current?.(row, event), []);

  const actOnRow = useCallback(
    (action: AnyAction<Row>, row: Row) => setActionTarget({ action, ids: [row.id], row }),
    [],
  );
  const actOnSelection = useCallback(
    (action: AnyAction<Row>, ids: readonly number[]) => setActionTarget({ action, ids, row: null }),
    [],
  );
  const openRecord = useCallback((row: Row) => list.getRecordUrl && navigate(list.getRecordUrl(row)), [list, navigate]);
  useTableShortcuts({
    table,
    scrollRef,
    openRecord,
    isPaused: actionTarget !== null || isEditingColumns || isFiltering,
  });

  const rows = table.rows ?? [];
  const previewedIndex = table.previewedId === null ? -1 : rows.findIndex((row) => row.id === table.previewedId);
  const previewedRow = rows[previewedIndex];
  useEffect(() => {
    const rowElement =
      previewedRow && scrollRef.current?.querySelector<HTMLElement>(`tr[data-id="${previewedRow.id}"]`);
    rowElement?.setAttribute('data-open', '');
    rowElement?.scrollIntoView({ block: 'nearest' });
    return () => rowElement?.removeAttribute('data-open');
  }, [previewedRow]);

  const onActionDone = () => {
    table.selection.clear();
    void table.refresh();
  };

  return (
    <div className="resource">
      <div className="toolbar">
        {list.fixedFilters ? (
          <h2>{t(list.title as 'orders.title')}</h2>
        ) : (
          <h1 tabIndex={-1}>{t(list.title as 'orders.title')}</h1>
        )}
        <span className="count" role="status">
          {table.rows &&
            t('table.recordCount', {
              count: table.total,
              formattedCount: (table.isTotalLowerBound ? '≥ ' : '') + formatNumber(table.total),
            })}
        </span>
        <span className="grow" />
        <SearchBox
          value={table.state.search}
          onChange={(search) => table.changeState({ search, pushHistory: false })}
        />
        {tools}
        <span className="toolbar-icons">
          {hiddenFilterColumns.length > 0 && (
            <Button
              variant="plain"
              iconOnly
              icon="filter"
              label={t('table.moreFilters')}
              onClick={() => setIsFiltering(true)}
            />
          )}
          <ExportMenu table={table} columns={visibleColumnNames} />
          <Button
            variant="plain"
            iconOnly
            icon="sliders-h"
            label={t('table.columns')}
            onClick={() => setIsEditingColumns(true)}
          />
          <Button
            variant="plain"
            iconOnly
            icon="refresh"
            label={t('table.refresh')}
            busy={table.isLoading && !table.rows}
            onClick={table.refresh}
          />
        </span>
      </div>
      {list.description && <p className="hint">{t(list.description as 'system.quarantineList.description')}</p>}
      {!list.fixedFilters && (
        <SavedViews table={table} visibleColumnNames={visibleColumnNames} setVisibleColumnNames={setVisibleColumns} />
      )}
      <FilterChips table={table} />
      <BulkBar table={table} onAction={actOnSelection} />
      {table.problem && <ProblemBar problem={table.problem} onRetry={table.refresh} />}
      <div className="beside">
        <div className="grid-card" data-density={density}>
          <div className="grid-bar" data-busy={table.isLoading || undefined} />
          <div
            className="grid-scroll"
            ref={scrollRef}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the user must be able to scroll the region with the keyboard.
            tabIndex={0}
            role="region"
            aria-label={t(list.title as 'orders.title')}
          >
            <table className="grid" aria-rowcount={table.total} data-stale={table.isStale || undefined}>
              <caption className="sr">{t(list.title as 'orders.title')}</caption>
              <TableHead table={table} columns={visibleColumns} />
              <TableBody table={table} columns={visibleColumns} onOpenMenu={openMenu} />
            </table>
          </div>
          <Pagination table={table} />
          <RowMenu list={list} openMenuRef={openMenuRef} onAction={actOnRow} onPreview={table.previewRecord} />
        </div>
        {previewedRow && list.getRecordUrl && (
          <RecordPreview
            href={list.getRecordUrl(previewedRow)}
            index={previewedIndex}
            rowCount={rows.length}
            onStep={(step) => table.previewRecord(rows[previewedIndex + step]?.id ?? null)}
            onClose={() => table.previewRecord(null)}
          />
        )}
      </div>
      {isEditingColumns && (
        <ColumnsDialog
          columns={columns}
          visibleColumnNames={visibleColumnNames}
          setVisibleColumnNames={setVisibleColumns}
          onClose={() => setIsEditingColumns(false)}
        />
      )}
      {isFiltering && (
        <FiltersDialog table={table} columns={hiddenFilterColumns} onClose={() => setIsFiltering(false)} />
      )}
      {actionTarget && (
        <ActionDialog
          {...actionTarget}
          onClose={() => setActionTarget(null)}
          onDone={onActionDone}
          onSelect={(ids) => table.selection.replace(ids)}
        />
      )}
    </div>
  );
}
