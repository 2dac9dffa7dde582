// Shows the allowed actions of one record as buttons beside its heading, and the dialog of the action that the user clicked.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ActionDialog } from './ActionDialog';
import type { AnyAction } from './action';

interface Props<Row extends { id: number }> {
  row: Row;
  actions: readonly AnyAction<Row>[];
  /** Omits the actions with a form, for pages that show these forms themselves. */
  withoutForms?: true;
  /** Runs after `action` has changed the record. */
  onDone: (action: AnyAction<Row>) => void;
}

export function RecordActions<Row extends { id: number }>({ row, actions, withoutForms, onDone }: Props<Row>) {
  const { t } = useTranslation();
  const [selectedAction, setSelectedAction] = useState<AnyAction<Row> | null>(null);
  const allowedActions = actions.filter((action) => !(withoutForms && action.Form) && action.isAllowedFor(row));
  return (
    <>
      {allowedActions.map((action) => (
        <Button
          key={action.name}
          icon={action.icon}
          tone={action.tone}
          label={t(`actions.${action.name as 'cancel'}.label`)}
          onClick={() => setSelectedAction(action)}
        />
      ))}
      {selectedAction && (
        <ActionDialog
          action={selectedAction}
          ids={[row.id]}
          row={row}
          onClose={() => setSelectedAction(null)}
          onDone={() => onDone(selectedAction)}
        />
      )}
    </>
  );
}
