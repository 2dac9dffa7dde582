// Explains why the user cannot edit a record, and offers the actions that make the record editable, such as "Restore". A form dialog
// shows this notice outside of its `<form>` element.
import { useTranslation } from 'react-i18next';
import type { Action } from './action';
import { RecordActions } from './RecordActions';

interface Props<Row extends { id: number }> {
  row: Row;
  isArchived: boolean;
  actions: readonly Action<Row>[];
  /** Runs after an action has changed the record. */
  onDone: () => void;
}

export function LockedNotice<Row extends { id: number }>({ row, isArchived, actions, onDone }: Props<Row>) {
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
