// The bulk actions for the selected rows. Each button shows the number of rows for which its action is allowed. Another button
// selects all records that match the filters. This selection is a snapshot of ids: it does not include records that match later.
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
  onAction: (action: AnyAction<Row>, ids: readonly number[]) => void;
}

export function BulkBar<Row extends { id: number }>({ table, onAction }: Props<Row>) {
  const { t } = useTranslation();
  const selection = useSelection(table.selection);
  const { submit: selectAll, isPending } = useSubmit({
    send: () => fetchIds(table.list.path, table.query),
    onDone: (ids) => selection.replace(ids),
    showProblemAs: 'toast',
  });
  const bulkActions = (table.list.actions ?? []).filter((action) => !action.isSingleRecordOnly);
  if (selection.size === 0) {
    return table.deselectedCount > 0 ? (
      <p className="bulk-dropped" role="status">
        {t('table.selectionCleared', { count: table.deselectedCount })}
      </p>
    ) : null;
  }
  const loadedRows = selection.loadedRows;
  const areAllLoaded = loadedRows.length === selection.size;
  const isPageSelected = (table.rows ?? []).every((row) => selection.has(row.id));
  return (
    <div className="bulk" role="group" aria-label={t('table.selectedRecords')}>
      <strong role="status">
        {t('table.selectedRecordCount', { count: selection.size, formattedCount: formatNumber(selection.size) })}
      </strong>
      {isPageSelected && selection.size < table.total && (
        <Button
          variant="plain"
          busy={isPending}
          disabled={table.isStale}
          label={t('table.selectAllMatching', { count: table.total, formattedCount: formatNumber(table.total) })}
          onClick={() => void selectAll()}
        />
      )}
      <Button variant="plain" label={t('table.clearSelection')} onClick={() => selection.clear()} />
      <span className="grow" />
      {bulkActions.map((action) => {
        const allowedCount = loadedRows.filter(action.isAllowedFor).length;
        const label = t(`actions.${action.name as 'cancel'}.label`);
        const isAllowedForNone = areAllLoaded && allowedCount === 0;
        return (
          <Button
            key={action.name}
            icon={action.icon}
            tone={action.tone}
            label={label}
            disabled={table.isStale || (isAllowedForNone && t('table.notAllowedForSelection', { action: label }))}
            badge={
              areAllLoaded && (
                <small className="suits">
                  {t('table.allowedRecordCount', { allowed: allowedCount, total: selection.size })}
                </small>
              )
            }
            onClick={() => onAction(action, selection.ids)}
          />
        );
      })}
    </div>
  );
}
