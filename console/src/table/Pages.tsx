// Pagination: range of rows, total, page size, and navigation between pages.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { pageSizes } from './state';
import type { TableHandle } from './useTable';

export function Pages<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const id = useId();
  const { page, size } = table.loadedPage;
  const hasPageFailed = table.problem !== null && table.rows !== undefined && table.state.page !== page;
  const lastPage = Math.max(1, Math.ceil(table.total / size));
  const firstRow = table.total === 0 ? 0 : (page - 1) * size + 1;
  const goTo = (requestedPage: number) => {
    const target = Math.min(Math.max(1, requestedPage), lastPage);
    // The URL already has this page if it failed to load: load it again.
    if (target === table.state.page) void table.refresh();
    else table.change({ page: target });
  };
  // Relative to the URL, so that two quick clicks move two pages.
  const basePage = hasPageFailed ? page : table.state.page;
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <label htmlFor={id}>{t('table.size')}</label>
      <select id={id} value={table.state.size} onChange={(event) => table.change({ size: Number(event.target.value) })}>
        {pageSizes(table.state.defaultSize).map((size) => (
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
        onClick={() => goTo(1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => goTo(basePage - 1)}
      />
      <label className="pages-at">
        <span className="sr">{t('table.page')}</span>
        <input
          key={page}
          inputMode="numeric"
          defaultValue={page}
          size={Math.max(2, String(lastPage).length)}
          onKeyDown={(event) => event.key === 'Enter' && goTo(Number(event.currentTarget.value) || page)}
          onBlur={(event) =>
            Number(event.currentTarget.value) !== page && goTo(Number(event.currentTarget.value) || page)
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
        onClick={() => goTo(basePage + 1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-double-right"
        label={t('table.lastPage')}
        disabled={page >= lastPage}
        onClick={() => goTo(lastPage)}
      />
    </nav>
  );
}
