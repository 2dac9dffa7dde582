// The list screen of every resource: heading, views, search, bulk bar, table, pages. It renders a `List` and has no special cases.
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
import { useTableKeys } from './useTableKeys';
import { Views } from './Views';

interface ActionTarget<Row> {
  action: AnyAction<Row>;
  ids: readonly number[];
  row: Row | null;
}

/** `tools` are additional buttons of the screen, such as "New coupon". */
export function ServerTable<Row extends { id: number }>({ list, tools }: { list: List<Row>; tools?: ReactNode }) {
  const { t } = useTranslation();
  const table = useTable(list);
  const { all, shown, hiddenFilterColumns, show } = useColumns(list);
  const density = useDensity();
  const [isArranging, setIsArranging] = useState(false);
  const [isFiltering, setIsFiltering] = useState(false);
  const [target, setTarget] = useState<ActionTarget<Row> | null>(null);
  const [, navigate] = useLocation();
  const scroll = useRef<HTMLDivElement>(null);
  const menu = useRef<OpenMenu<Row>>(null);
  const openMenu = useCallback<OpenMenu<Row>>((row, event) => menu.current?.(row, event), []);

  const act = useCallback((action: AnyAction<Row>, row: Row) => setTarget({ action, ids: [row.id], row }), []);
  const actAll = useCallback(
    (action: AnyAction<Row>, ids: readonly number[]) => setTarget({ action, ids, row: null }),
    [],
  );
  const open = useCallback((row: Row) => list.open && navigate(list.open(row)), [list, navigate]);
  useTableKeys({ table, scroll, open, act, paused: target !== null || isArranging || isFiltering });

  const rows = table.rows ?? [];
  const openIndex = table.open === null ? -1 : rows.findIndex((row) => row.id === table.open);
  const openRow = rows[openIndex];
  useEffect(() => {
    const line = openRow && scroll.current?.querySelector<HTMLElement>(`tr[data-id="${openRow.id}"]`);
    line?.setAttribute('data-open', '');
    line?.scrollIntoView({ block: 'nearest' });
    return () => line?.removeAttribute('data-open');
  }, [openRow]);

  const done = () => {
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
        <SearchBox value={table.state.search} onChange={(search) => table.change({ search, step: false })} />
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
          <ExportMenu table={table} columns={shown.map((column) => column.name)} />
          <Button
            variant="plain"
            iconOnly
            icon="sliders-h"
            label={t('table.columns')}
            onClick={() => setIsArranging(true)}
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
      {list.description && <p className="hint">{t(list.description as 'system.quarantineList.about')}</p>}
      {!list.fixedFilters && <Views table={table} shown={shown.map((column) => column.name)} show={show} />}
      <Chips table={table} />
      <BulkBar table={table} onAct={actAll} />
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
              <Head table={table} columns={shown} />
              <Body table={table} columns={shown} onMenu={openMenu} />
            </table>
          </div>
          <Pages table={table} />
          <RowMenu list={list} handle={menu} onAct={act} onPeek={table.peek} />
        </div>
        {openRow && list.open && (
          <Peek
            href={list.open(openRow)}
            place={{ at: openIndex + 1, of: rows.length }}
            onStep={(by) => table.peek(rows[openIndex + by]?.id ?? null)}
            onClose={() => table.peek(null)}
          />
        )}
      </div>
      {isArranging && (
        <ColumnsDialog
          all={all}
          shown={shown.map((column) => column.name)}
          show={show}
          onClose={() => setIsArranging(false)}
        />
      )}
      {isFiltering && (
        <FiltersDialog table={table} columns={hiddenFilterColumns} onClose={() => setIsFiltering(false)} />
      )}
      {target && (
        <ActionDialog
          {...target}
          onClose={() => setTarget(null)}
          onDone={done}
          onSelect={(ids) => table.selection.replace(ids)}
        />
      )}
    </div>
  );
}
