// Shows the range of rows, the total and the page size, and lets the user move between pages.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { getPageSizes } from './listState';
import type { TableHandle } from './useTable';

export function Pagination<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const pageSizeId = useId();
  const { page, size } = table.loadedPage;
  const hasPageFailed = table.problem !== null && table.rows !== undefined && table.state.page !== page;
  const lastPage = Math.max(1, Math.ceil(table.total / size));
  const firstRow = table.total === 0 ? 0 : (page - 1) * size + 1;
  const goToPage = (requestedPage: number) => {
    const targetPage = Math.min(Math.max(1, requestedPage), lastPage);
    // If the page failed to load, the URL already contains this page. In that case, load the page again.
    if (targetPage === table.state.page) void table.refresh();
    else table.changeState({ page: targetPage });
  };
  // The next page is relative to the page in the URL, so that two quick clicks move by two pages.
  const basePage = hasPageFailed ? page : table.state.page;
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <label htmlFor={pageSizeId}>{t('table.rowsPerPage')}</label>
      <select
        id={pageSizeId}
        value={table.state.size}
        onChange={(event) => table.changeState({ size: Number(event.target.value) })}
      >
        {getPageSizes(table.state.defaultSize).map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <span className="pages-range">
        {formatNumber(firstRow)}–{formatNumber(Math.min(page * size, table.total))} / {table.isTotalLowerBound && '≥ '}
        {formatNumber(table.total)}
      </span>
      {hasPageFailed && <span role="alert">{t('table.pageFailed', { page: formatNumber(table.state.page) })}</span>}
      <span className="grow" />
      <Button
        variant="plain"
        iconOnly
        icon="angle-double-left"
        label={t('table.firstPage')}
        disabled={page <= 1}
        onClick={() => goToPage(1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => goToPage(basePage - 1)}
      />
      <label className="pages-at">
        <span className="sr">{t('table.page')}</span>
        <input
          key={page}
          inputMode="numeric"
          defaultValue={page}
          size={Math.max(2, String(lastPage).length)}
          onKeyDown={(event) => event.key === 'Enter' && goToPage(Number(event.currentTarget.value) || page)}
          onBlur={(event) =>
            Number(event.currentTarget.value) !== page && goToPage(Number(event.currentTarget.value) || page)
          }
        />
        <span>/ {formatNumber(lastPage)}</span>
      </label>
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= lastPage}
        onClick={() => goToPage(basePage + 1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-double-right"
        label={t('table.lastPage')}
        disabled={page >= lastPage}
        onClick={() => goToPage(lastPage)}
      />
    </nav>
  );
}
