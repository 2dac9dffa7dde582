// The bulk actions for the selected rows. Each button shows for how many of the rows its action is allowed. Another button selects
// all records that match the filters: a snapshot of their ids, without records that match later.
import { useTranslation } from 'react-i18next';
import { fetchIds } from '@/api/table';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import type { AnyAction } from './action';
import { useSelection } from './selection';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  onAct: (action: AnyAction<Row>, ids: readonly number[]) => void;
}

export function BulkBar<Row extends { id: number }>({ table, onAct }: Props<Row>) {
  const { t } = useTranslation();
  const selection = useSelection(table.selection);
  const { submit: selectAll, isPending } = useSubmit({
    send: () => fetchIds(table.list.path, table.query),
    onDone: (ids) => selection.replace(ids),
    showProblemAs: 'toast',
  });
  const actions = (table.list.actions ?? []).filter((action) => !action.singleOnly);
  if (selection.size === 0) {
    return table.droppedCount > 0 ? (
      <p className="bulk-dropped" role="status">
        {t('table.dropped', { count: table.droppedCount })}
      </p>
    ) : null;
  }
  const loadedRows = selection.loadedRows;
  const areAllLoaded = loadedRows.length === selection.size;
  const isPageSelected = (table.rows ?? []).every((row) => selection.has(row.id));
  return (
    <div className="bulk" role="group" aria-label={t('table.bulk')}>
      <strong role="status">
        {t('table.selected', { count: selection.size, shown: formatNumber(selection.size) })}
      </strong>
      {isPageSelected && selection.size < table.total && (
        <Button
          variant="plain"
          busy={isPending}
          disabled={table.stale}
          label={t('table.selectAll', { count: table.total, shown: formatNumber(table.total) })}
          onClick={() => void selectAll()}
        />
      )}
      <Button variant="plain" label={t('table.selectNone')} onClick={() => selection.clear()} />
      <span className="grow" />
      {actions.map((action) => {
        const allowedCount = loadedRows.filter(action.allows).length;
        const label = t(`actions.${action.name as 'cancel'}.label`);
        const isAllowedForNone = areAllLoaded && allowedCount === 0;
        return (
          <Button
            key={action.name}
            icon={action.icon}
            tone={action.tone}
            label={label}
            disabled={table.stale || (isAllowedForNone && t('table.suitsNone', { action: label }))}
            badge={
              areAllLoaded && (
                <small className="suits">{t('table.suits', { suits: allowedCount, of: selection.size })}</small>
              )
            }
            onClick={() => onAct(action, selection.ids)}
          />
        );
      })}
    </div>
  );
}
