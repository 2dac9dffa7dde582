// The list screen of every resource: heading, views, search, bulk bar, table and pagination. It renders a `List`; what is special
// about a resource is in its `List`.
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { ActionDialog } from './ActionDialog';
import type { AnyAction } from './action';
import { Body } from './Body';
import { BulkBar } from './BulkBar';
import { Chips } from './Chips';
import { ColumnsDialog } from './ColumnsDialog';
import { useColumns } from './columns';
import { useDensity } from './density';
import { ExportMenu } from './ExportMenu';
import { FiltersDialog } from './FiltersDialog';
import { Head } from './Head';
import type { List } from './listDefinition';
import { Pages } from './Pages';
import { Peek } from './Peek';
import { type OpenMenu, RowMenu } from './RowMenu';
import { SearchBox } from './SearchBox';
import { useTable } from './useTable';
import { useTableShortcuts } from './useTableShortcuts';
import { Views } from './Views';

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
  const visibleNames = visibleColumns.map((column) => column.name);
  const density = useDensity();
  const [isEditingColumns, setIsEditingColumns] = useState(false);
  const [isFiltering, setIsFiltering] = useState(false);
  const [target, setTarget] = useState<ActionTarget<Row> | null>(null);
  const [, navigate] = useLocation();
  const scroll = useRef<HTMLDivElement>(null);
  const menu = useRef<OpenMenu<Row>>(null);
  const openMenu = useCallback<OpenMenu<Row>>((row, event) => menu.current?.(row, event), []);

  const actOnRow = useCallback((action: AnyAction<Row>, row: Row) => setTarget({ action, ids: [row.id], row }), []);
  const actOnSelection = useCallback(
    (action: AnyAction<Row>, ids: readonly number[]) => setTarget({ action, ids, row: null }),
    [],
  );
  const openRecord = useCallback((row: Row) => list.recordUrl && navigate(list.recordUrl(row)), [list, navigate]);
  useTableShortcuts({ table, scroll, openRecord, isPaused: target !== null || isEditingColumns || isFiltering });

  const rows = table.rows ?? [];
  const openIndex = table.openId === null ? -1 : rows.findIndex((row) => row.id === table.openId);
  const openRow = rows[openIndex];
  useEffect(() => {
    const rowElement = openRow && scroll.current?.querySelector<HTMLElement>(`tr[data-id="${openRow.id}"]`);
    rowElement?.setAttribute('data-open', '');
    rowElement?.scrollIntoView({ block: 'nearest' });
    return () => rowElement?.removeAttribute('data-open');
  }, [openRow]);

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
            t('table.count', {
              count: table.total,
              shown: (table.isTotalLowerBound ? '≥ ' : '') + formatNumber(table.total),
            })}
        </span>
        <span className="grow" />
        <SearchBox value={table.state.search} onChange={(search) => table.change({ search, pushHistory: false })} />
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
          <ExportMenu table={table} columns={visibleNames} />
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
            busy={table.loading && !table.rows}
            onClick={table.refresh}
          />
        </span>
      </div>
      {list.description && <p className="hint">{t(list.description as 'system.quarantineList.description')}</p>}
      {!list.fixedFilters && <Views table={table} visibleNames={visibleNames} setVisible={setVisibleColumns} />}
      <Chips table={table} />
      <BulkBar table={table} onAct={actOnSelection} />
      {table.problem && <ProblemBar problem={table.problem} onRetry={table.refresh} />}
      <div className="beside">
        <div className="grid-card" data-density={density}>
          <div className="grid-bar" data-busy={table.loading || undefined} />
          <div
            className="grid-scroll"
            ref={scroll}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            tabIndex={0}
            role="region"
            aria-label={t(list.title as 'orders.title')}
          >
            <table className="grid" aria-rowcount={table.total} data-stale={table.stale || undefined}>
              <caption className="sr">{t(list.title as 'orders.title')}</caption>
              <Head table={table} columns={visibleColumns} />
              <Body table={table} columns={visibleColumns} onMenu={openMenu} />
            </table>
          </div>
          <Pages table={table} />
          <RowMenu list={list} handle={menu} onAct={actOnRow} onPeek={table.peek} />
        </div>
        {openRow && list.recordUrl && (
          <Peek
            href={list.recordUrl(openRow)}
            index={openIndex}
            rowCount={rows.length}
            onStep={(step) => table.peek(rows[openIndex + step]?.id ?? null)}
            onClose={() => table.peek(null)}
          />
        )}
      </div>
      {isEditingColumns && (
        <ColumnsDialog
          columns={columns}
          visibleNames={visibleNames}
          setVisible={setVisibleColumns}
          onClose={() => setIsEditingColumns(false)}
        />
      )}
      {isFiltering && (
        <FiltersDialog table={table} columns={hiddenFilterColumns} onClose={() => setIsFiltering(false)} />
      )}
      {target && (
        <ActionDialog
          {...target}
          onClose={() => setTarget(null)}
          onDone={onActionDone}
          onSelect={(ids) => table.selection.replace(ids)}
        />
      )}
    </div>
  );
}
