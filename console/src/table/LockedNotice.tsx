// Explains why an opened record cannot be edited, with the actions that resolve this, such as restoring it. It is rendered inside
// of a form's dialog, but is no part of the form.
import { useTranslation } from 'react-i18next';
import type { Action } from './action';
import { RecordActions } from './RecordActions';

interface Props<Row extends { id: number }> {
  row: Row;
  isArchived: boolean;
  actions: readonly Action<Row>[];
  /** Called after a change. */
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
