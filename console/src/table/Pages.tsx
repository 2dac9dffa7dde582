// Which rows of how many, how many at once, and the way to the other pages.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { count } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { sizesOf } from './state';
import type { TableHandle } from './useTable';

export function Pages<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const id = useId();
  const { page, size } = table.state;
  const last = Math.max(1, Math.ceil(table.total / size));
  const first = table.total === 0 ? 0 : (page - 1) * size + 1;
  const go = (to: number) => table.change({ page: Math.min(Math.max(1, to), last) });
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <label htmlFor={id}>{t('table.size')}</label>
      <select id={id} value={size} onChange={(event) => table.change({ size: Number(event.target.value) })}>
        {sizesOf(table.state.usual).map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <span className="pages-range">
        {count(first)}–{count(Math.min(page * size, table.total))} / {table.isAtLeast && '≥ '}
        {count(table.total)}
      </span>
      <span className="grow" />
      <Button
        look="plain"
        iconOnly
        icon="angle-double-left"
        label={t('table.firstPage')}
        disabled={page <= 1}
        onClick={() => go(1)}
      />
      <Button
        look="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => go(page - 1)}
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
        <span>/ {count(last)}</span>
      </label>
      <Button
        look="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= last}
        onClick={() => go(page + 1)}
      />
      <Button
        look="plain"
        iconOnly
        icon="angle-double-right"
        label={t('table.lastPage')}
        disabled={page >= last}
        onClick={() => go(last)}
      />
    </nav>
  );
}
