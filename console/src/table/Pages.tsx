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
  const failed = table.problem !== null && table.rows !== undefined && table.state.page !== page;
  const last = Math.max(1, Math.ceil(table.total / size));
  const first = table.total === 0 ? 0 : (page - 1) * size + 1;
  const go = (to: number) => {
    const target = Math.min(Math.max(1, to), last);
    // The URL already has the page that failed to load: load it again.
    if (target === table.state.page) void table.refresh();
    else table.change({ page: target });
  };
  // Relative to the URL, so that two quick clicks move two pages.
  const current = failed ? page : table.state.page;
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <label htmlFor={id}>{t('table.size')}</label>
      <select id={id} value={table.state.size} onChange={(event) => table.change({ size: Number(event.target.value) })}>
        {pageSizes(table.state.defaultSize).map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <span className="pages-range">
        {formatNumber(first)}–{formatNumber(Math.min(page * size, table.total))} / {table.isTotalLowerBound && '≥ '}
        {formatNumber(table.total)}
      </span>
      {failed && <span role="alert">{t('table.pageFailed', { page: formatNumber(table.state.page) })}</span>}
      <span className="grow" />
      <Button
        variant="plain"
        iconOnly
        icon="angle-double-left"
        label={t('table.firstPage')}
        disabled={page <= 1}
        onClick={() => go(1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => go(current - 1)}
      />
      <label className="pages-at">
        <span className="sr">{t('table.page')}</span>
        <input
          key={page}
          inputMode="numeric"
          defaultValue={page}
          size={Math.max(2, String(last).length)}
          onKeyDown={(event) => event.key === 'Enter' && go(Number(event.currentTarget.value) || page)}
          onBlur={(event) =>
            Number(event.currentTarget.value) !== page && go(Number(event.currentTarget.value) || page)
          }
        />
        <span>/ {formatNumber(last)}</span>
      </label>
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= last}
        onClick={() => go(current + 1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-double-right"
        label={t('table.lastPage')}
        disabled={page >= last}
        onClick={() => go(last)}
      />
    </nav>
  );
}
