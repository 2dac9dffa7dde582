// The allowed actions of one record as buttons beside its heading, and the dialog of the action that was clicked.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ActionDialog } from './ActionDialog';
import type { AnyAction } from './action';

interface Props<Row extends { id: number }> {
  row: Row;
  actions: readonly AnyAction<Row>[];
  /** Omits actions with a form, which the page offers elsewhere. */
  withoutForms?: true;
  /** Called after a change, with the action. */
  onDone: (action: AnyAction<Row>) => void;
}

export function RecordActions<Row extends { id: number }>({ row, actions, withoutForms, onDone }: Props<Row>) {
  const { t } = useTranslation();
  const [selected, setSelected] = useState<AnyAction<Row> | null>(null);
  const allowed = actions.filter((action) => !(withoutForms && action.Form) && action.allows(row));
  return (
    <>
      {allowed.map((action) => (
        <Button
          key={action.name}
          icon={action.icon}
          tone={action.tone}
          label={t(`actions.${action.name as 'cancel'}.label`)}
          onClick={() => setSelected(action)}
        />
      ))}
      {selected && (
        <ActionDialog
          action={selected}
          ids={[row.id]}
          row={row}
          onClose={() => setSelected(null)}
          onDone={() => onDone(selected)}
        />
      )}
    </>
  );
}
