// What can be done with the marked rows: how many of them each action suits, and the step from this page to all
// that match. The ids of "all" are frozen in that moment, so nothing slips in later.
import { useTranslation } from 'react-i18next';
import { ids } from '@/api/table';
import { useSubmit } from '@/form/useSubmit';
import { count } from '@/i18n/format';
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
  const { submit: freeze, isPending } = useSubmit({
    send: () => ids(table.list.path, table.query),
    onDone: (all) => selection.freeze(all),
    shows: 'toast',
  });
  const actions = (table.list.actions ?? []).filter((action) => !action.single);
  if (selection.size === 0) {
    return table.dropped > 0 ? (
      <p className="bulk-dropped" role="status">
        {t('table.dropped', { count: table.dropped })}
      </p>
    ) : null;
  }
  const known = selection.known;
  const allKnown = known.length === selection.size;
  const pageMarked = (table.rows ?? []).every((row) => selection.has(row.id));
  return (
    <div className="bulk" role="group" aria-label={t('table.bulk')}>
      <strong role="status">{t('table.selected', { count: selection.size, shown: count(selection.size) })}</strong>
      {pageMarked && selection.size < table.total && (
        <Button
          look="plain"
          busy={isPending}
          disabled={table.stale}
          label={t('table.selectAll', { count: table.total, shown: count(table.total) })}
          onClick={() => void freeze()}
        />
      )}
      <Button look="plain" label={t('table.selectNone')} onClick={() => selection.clear()} />
      <span className="grow" />
      {actions.map((action) => {
        const suits = known.filter(action.allows).length;
        const label = t(`actions.${action.name as 'cancel'}.label`);
        const none = allKnown && suits === 0;
        return (
          <Button
            key={action.name}
            icon={action.icon}
            tone={action.tone}
            label={label}
            disabled={table.stale || (none && t('table.suitsNone', { action: label }))}
            badge={allKnown && <small className="suits">{t('table.suits', { suits, of: selection.size })}</small>}
            onClick={() => onAct(action, selection.ids)}
          />
        );
      })}
    </div>
  );
}
