// Why a record that was opened cannot be edited, with the actions that lead on from there, such as restoring it. It is drawn in
// a form outside of what the form sends.
import { useTranslation } from 'react-i18next';
import type { Action } from './action';
import { RecordActions } from './RecordActions';

interface Props<Row extends { id: number }> {
  row: Row;
  isArchived: boolean;
  actions: readonly Action<Row>[];
  /** Something was changed. */
  onDone: () => void;
}

export function Locked<Row extends { id: number }>({ row, isArchived, actions, onDone }: Props<Row>) {
  const { t } = useTranslation();
  return (
    <div className="notice-warning" role="note">
      <p>{t(isArchived ? 'ui.locked.archived' : 'ui.locked.other')}</p>
      <div className="record-actions">
        <RecordActions row={row} actions={actions} onDone={onDone} />
      </div>
    </div>
  );
}
