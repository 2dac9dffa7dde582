// The actions of one record as buttons beside its heading: those that it allows, and the dialog of the one pressed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ActionDialog } from './ActionDialog';
import type { AnyAction } from './action';

interface Props<Row extends { id: number }> {
  row: Row;
  actions: readonly AnyAction<Row>[];
  /** Only those that ask for nothing: the page has its own way to the others. */
  plain?: true;
  /** Something was changed by this one. */
  onDone: (action: AnyAction<Row>) => void;
}

export function RecordActions<Row extends { id: number }>({ row, actions, plain, onDone }: Props<Row>) {
  const { t } = useTranslation();
  const [pressed, setPressed] = useState<AnyAction<Row> | null>(null);
  const offered = actions.filter((action) => !(plain && action.Form) && action.allows(row));
  return (
    <>
      {offered.map((action) => (
        <Button
          key={action.name}
          icon={action.icon}
          tone={action.tone}
          label={t(`actions.${action.name as 'cancel'}.label`)}
          onClick={() => setPressed(action)}
        />
      ))}
      {pressed && (
        <ActionDialog
          action={pressed}
          ids={[row.id]}
          row={row}
          onClose={() => setPressed(null)}
          onDone={() => onDone(pressed)}
        />
      )}
    </>
  );
}
